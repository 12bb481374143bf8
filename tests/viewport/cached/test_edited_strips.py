"""Whatever is edited of actions that strips of the NLA play, each frame that is still known is Blender's."""

from __future__ import annotations

import os

import bpy
import pytest

from skinning_addon.scene.clips.actions import fcurves
from tests.viewport.cached.recorded import Mode
from tests.viewport.cached.test_edited_keys import KeyEditor, compare, follow, keyed_rig, known

EDITS = int(os.environ.get("SKINSCOPE_STRIP_EDITS", "60"))
LAST = 40


def push_down(armature: bpy.types.Object) -> bpy.types.NlaStrip:
    """Have a strip play the rig's action, and nothing else."""
    animation = armature.animation_data
    action, slot = animation.action, getattr(animation, "action_slot", None)
    animation.action = None
    strip = animation.nla_tracks.new().strips.new("Strip", 1, action)
    if slot is not None and strip.action_slot is None:
        strip.action_slot = slot
    bpy.context.scene.frame_end = LAST
    return strip


def curves_of(strip: bpy.types.NlaStrip) -> list[bpy.types.FCurve]:
    return list(fcurves(strip.action, getattr(strip, "action_slot", None)))


def edited(strip: bpy.types.NlaStrip, frame: int) -> None:
    """Move one key at a frame of a strip's action, with handles that reach no further than its neighbors."""
    action = strip.action
    point = next(one for one in curves_of(strip)[0].keyframe_points if one.co.x == frame)
    point.co.y += 0.3
    action.update_tag()
    bpy.context.view_layer.update()


def free_handles(strip: bpy.types.NlaStrip) -> None:
    for curve in curves_of(strip):
        for point in curve.keyframe_points:
            point.handle_left_type = point.handle_right_type = "FREE"


# The action has keys at 1, 5, 9, 12, 17 and 24; the one at 12 is moved, so that 9 to 17 may differ. Where a
# neighboring key is, nothing has changed, but a frame more is forgotten.
PLAYED = {
    "as it is": ({}, set(range(9, 18))),
    "later": ({"frame_start": 11, "frame_end": 34}, set(range(19, 28))),
    "twice as long": ({"scale": 1.5}, set(range(13, 26))),
    "reversed": ({"use_reverse": True}, set(range(8, 17))),
    "cut off before": ({"action_frame_end": 9.0 - 1}, set()),
    "cut off within": ({"action_frame_end": 12.0}, set(range(9, LAST + 1))),
    "cut off within, not held": ({"action_frame_end": 12.0, "extrapolation": "NOTHING"}, set(range(9, 13))),
    "begun within": ({"action_frame_start": 12.0, "extrapolation": "NOTHING"}, set(range(1, 7))),
    "repeated": (
        {"action_frame_end": 17.0, "repeat": 2.0, "extrapolation": "NOTHING"},
        {*range(9, 18), *range(25, 34)},
    ),
    "muted": ({"mute": True}, set(range(1, LAST + 1))),
}


@pytest.mark.parametrize("played", PLAYED)
def test_a_moved_key_of_a_strip_makes_only_the_frames_unknown_that_play_it(mode: Mode, played: str):
    armature, body = keyed_rig(1)
    strip = push_down(armature)
    free_handles(strip)
    settings, forgotten = PLAYED[played]
    for name, value in settings.items():
        setattr(strip, name, value)
    bpy.context.view_layer.update()
    mode.record()
    assert mode.known == LAST
    edited(strip, 12)
    mode.cached.refresh()
    left = {int(frame) for _, frame in known(mode)}
    assert set(range(1, LAST + 1)) - left == forgotten
    compare(mode, [body], played)


@pytest.mark.parametrize("kind", ["solo", "influence", "custom property", "tweaked", "action"])
def test_strips_of_which_it_cannot_be_told_make_everything_unknown(mode: Mode, kind: str):
    armature, _ = keyed_rig(1)
    if kind == "custom property":
        armature.pose.bones["lower"]["twist"] = 0.5
        armature.pose.bones["lower"].keyframe_insert('["twist"]', frame=3)
    strip = push_down(armature)
    free_handles(strip)
    if kind == "influence":
        strip.use_animated_influence = True
        strip.influence = 0.5
        strip.keyframe_insert("influence", frame=1)
    elif kind == "tweaked":
        armature.animation_data.use_tweak_mode = True
        strip = armature.animation_data.nla_tracks[0].strips[0]
    elif kind == "action":
        armature.pose.bones["upper"].keyframe_insert("location", frame=3)
    elif kind == "solo":
        armature.animation_data.nla_tracks[0].is_solo = True
    bpy.context.view_layer.update()
    mode.record()
    edited(strip, 12)
    mode.cached.refresh()
    assert mode.known == 0


class StripEditor(KeyEditor):
    """Edits keys of actions that strips play, and the strips."""

    def __init__(self, rigs: list[bpy.types.Object], seed: int) -> None:
        super().__init__(rigs, seed)
        of_keys = [self.move, self.retime, self.insert, self.remove, self.interpolate, self.handle]
        self.kinds = [
            *of_keys,
            *of_keys,
            self.pose,
            self.mute,
            self.extrapolate,
            self.change_strip,
            self.key_on_top,
        ]
        self.action = rigs[0].animation_data.action

    def strip(self, rig: bpy.types.Object) -> bpy.types.NlaStrip:
        strips = [strip for track in rig.animation_data.nla_tracks for strip in track.strips]
        return strips[int(self.random.integers(len(strips)))]

    def curve(self, rig: bpy.types.Object) -> bpy.types.FCurve:
        strip = self.strip(rig)
        self.action = strip.action
        curves = curves_of(strip)
        return curves[int(self.random.integers(len(curves)))]

    def done(self, rig: bpy.types.Object, curve: bpy.types.FCurve) -> None:
        assert rig.animation_data.nla_tracks
        curve.update()
        self.action.update_tag()

    def key_on_top(self, rig: bpy.types.Object) -> None:
        """Makes an action beside the strips, or takes it away."""
        if rig.animation_data.action is None:
            self.pose_and_key(rig)
        else:
            rig.animation_data.action = None

    def change_strip(self, rig: bpy.types.Object) -> None:
        """A setting of a strip, or of its track."""
        strip = self.strip(rig)
        kind = int(self.random.integers(8))
        if kind == 0:
            strip.scale = self.random.uniform(0.5, 2.0)
        elif kind == 1:
            strip.repeat = float(self.random.choice([1.0, 1.5, 2.0, 2.3]))
        elif kind == 2:
            strip.use_reverse = not strip.use_reverse
        elif kind == 3:
            strip.extrapolation = str(self.random.choice(["NOTHING", "HOLD", "HOLD_FORWARD"]))
        elif kind == 4:
            strip.blend_type = str(self.random.choice(["REPLACE", "COMBINE", "ADD"]))
        elif kind == 5:
            strip.influence = self.random.uniform(0.2, 1.0)
        elif kind == 6:
            strip.blend_in = self.random.uniform(0, 5)
        else:
            strip.action_frame_start = self.random.uniform(1, 8)
            strip.action_frame_end = self.random.uniform(14, 24)
        rig.update_tag()


def test_no_known_frame_is_wrong_after_strips_were_edited(mode: Mode):
    pairs = [keyed_rig(number) for number in range(3)]
    rigs, bodies = [one for one, _ in pairs], [one for _, one in pairs]
    follow(rigs[1], rigs[0])
    strips = [push_down(one) for one in rigs]
    strips[0].use_reverse = True
    strips[1].frame_start, strips[1].frame_end = 6, 29
    strips[1].scale, strips[1].repeat, strips[1].extrapolation = 0.6, 2.0, "NOTHING"
    strips[2].action_frame_end = 18
    # A second track of the last rig plays the first one's action, too.
    above = rigs[2].animation_data.nla_tracks.new().strips.new("Above", 12, strips[0].action)
    if hasattr(above, "action_slot") and above.action_slot is None:
        above.action_slot = strips[0].action_slot
    above.blend_type, above.influence, above.blend_in = "COMBINE", 0.7, 4
    scene = bpy.context.scene
    scene.frame_set(1)
    mode.record()
    assert len(mode.cached.cache.groups) == 2
    editor = StripEditor(rigs, int(os.environ.get("SKINSCOPE_KEY_SEED", "29")))
    compared = narrow = 0
    for number in range(EDITS):
        mode.record()
        scene.frame_set(int(editor.random.integers(1, LAST + 1)))
        edit = editor.edit()
        bpy.context.view_layer.update()
        mode.cached.refresh()
        left = set(known(mode))
        narrow += any(0 < sum(uid == one.session_uid for uid, _ in left) < LAST for one in bodies)
        if number % 3 == 0:
            for frame in editor.random.integers(1, LAST + 1, 5):
                scene.frame_set(int(frame))
        compared += compare(mode, bodies, f"{number}: {edit}")
    assert narrow > EDITS / 4
    assert compared > 20 * EDITS
