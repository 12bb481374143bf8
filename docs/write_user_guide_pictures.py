"""Writes the pictures of docs/user-guide.md: a real Blender's window with Skinscope running in it, cut to what
matters.

    BLENDER=... RIG=... .venv/bin/python docs/write_user_guide_pictures.py [NAME...]

BLENDER: a desktop Blender. RIG: the character to show, a .glb; the guide has the knight of the KayKit
Adventurers, by Kay Lousberg (CC0). NAME: pictures to write; all of them where none is named. Needs what the
window tests need.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from user_guide_window import (
    TALL,
    TALLEST,
    WHOLE,
    Picture,
    canvas,
    figure,
    middle,
    place,
    running_blender,
    side_panel,
    tiled,
    view,
    write,
)

from tests.windowed.harness import HEIGHT, WindowedBlender


@dataclass(frozen=True)
class Shot:
    """One picture. take: drives Blender and returns it, (height, width, 3) uint8. height: of the screen, in
    pixels.
    """

    name: str
    take: Callable[[WindowedBlender], Picture]
    height: int = HEIGHT


def displays(blender: WindowedBlender) -> Picture:
    """Put all displays beside one another, three in a row, of an engine that is off: it takes two
    influences.
    """
    names = blender.run("[one.identifier for one in settings.bl_rna.properties['display'].enum_items]")
    blender.run("reset(); settings.profiles.profile = 'unity-2'; settings.show_figures = True")
    # Right of the legends, and above the figures.
    place(blender, centre=(-0.45, -0.22, 0.62), distance=5)
    pictures = []
    # That one is about the technique, and the guide has it there.
    for name in (one for one in names if one != "DRAW_GROUPS"):
        blender.run(f"settings.display = {name!r}")
        pictures.append(figure(blender))
    blender.run("settings.profiles.profile = 'blender'")
    return tiled(pictures, 3)


def panel(blender: WindowedBlender) -> Picture:
    """Take the 3D view with its sidebar."""
    blender.run("reset()")
    return view(blender)


def overlays(blender: WindowedBlender) -> Picture:
    """Take the lower half of the Overlays popover, where our panel is."""
    blender.run("reset()")
    blender.screenshot(timeout=90)
    blender.xdotool("mousemove", "860", "120")
    blender.run("with view3d(): bpy.ops.wm.call_panel(name='VIEW3D_PT_overlay', keep_open=True)")
    picture = blender.screenshot(timeout=90)
    blender.xdotool("mousemove", "200", "700", "key", "Escape")
    return picture[335:655, 795:1098]


def spaces(blender: WindowedBlender) -> Picture:
    """Put the mesh at rest, its parts in the spaces of their bones, and the result beside one another."""
    pictures = []
    for step in ("MESH", "BONE", "RESULT"):
        blender.run(
            "reset(); settings.display = 'DOMINANT_BONE'; settings.blender_mesh = 'HIDDEN'\n"
            f"settings.show_figures = False; settings.spaces.shown = True; settings.spaces.space = {step!r}"
        )
        if step == "BONE":
            place(blender, centre=(0, 0, 0), distance=7, rotation="(1, 0, 0, 0)")
        else:
            place(blender)
        pictures.append(figure(blender))
    return tiled(pictures, 3)


# The panel is closed by default, and stands below others: for the picture there is an open one in place of all
# of them.
SHOW_MIXER = """\
from skinning_addon.ui.clips.animation_panel import SKINSCOPE_PT_animation
from skinning_addon.ui.registration import CLASSES
from skinning_addon.ui.settings.clip_lists import clip_list
others = [  # parents before their children
    one for one in CLASSES
    if getattr(one, "bl_category", "") == "Skinscope"
]
for one in reversed(others):
    bpy.utils.unregister_class(one)
class SKINSCOPE_PT_mixer(bpy.types.Panel):
    bl_label = SKINSCOPE_PT_animation.bl_label
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Skinscope"
    draw = SKINSCOPE_PT_animation.draw
bpy.utils.register_class(SKINSCOPE_PT_mixer)
reset(); settings.blender_mesh = "HIDDEN"; settings.show_figures = False
walk = next(one for one in bpy.data.actions if one.name.startswith("Walking_A"))
for name, share in (("left foot", 0.2), ("right foot", 0.7)):
    start, end = walk.frame_range
    walk.pose_markers.new(name).frame = round(start + share * (end - start))
with view3d():
    bpy.ops.skinscope.clips_refresh()
mixer, listed = rig.skinscope_animation, clip_list(rig)
mixer.first, mixer.second = (
    next(one.name for one in listed.clips if one.name.startswith(name)) for name in ("Walking_A", "Running_A")
)
mixer.transition, mixer.match_phase = 0.8, True
listed.active = listed.clips.find(mixer.first)
with view3d():
    bpy.ops.skinscope.mixer_play()
    bpy.ops.skinscope.mixer_play()
player = session.players.of(rig)
player.advance(1.4)
with view3d():
    bpy.ops.skinscope.mixer_fade()
player.advance(0.4)
session.players.show(player)
"""
SHOW_OTHERS = """\
with view3d():
    bpy.ops.skinscope.mixer_stop()
bpy.utils.unregister_class(SKINSCOPE_PT_mixer)
for one in others:
    bpy.utils.register_class(one)
"""


def mixer(blender: WindowedBlender) -> Picture:
    """Take the sidebar with the mixer, and the character half-way from its walk to its run."""
    blender.run(SHOW_MIXER, timeout=300)
    picture = view(blender)
    blender.run(SHOW_OTHERS)
    return picture


# The same with the panel of tracks: a walk, and a run that is keyed to fade in, half-way through it.
SHOW_TRACKS = (
    SHOW_MIXER[: SHOW_MIXER.index("class SKINSCOPE_PT_mixer")].replace(
        "from skinning_addon.ui.clips.animation_panel import SKINSCOPE_PT_animation",
        "from skinning_addon.ui.tracks.tracks_panel import SKINSCOPE_PT_track_events, SKINSCOPE_PT_tracks",
    )
    + """\
class SKINSCOPE_PT_mixer(bpy.types.Panel):
    bl_label = SKINSCOPE_PT_tracks.bl_label
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Skinscope"
    def draw(self, context):
        SKINSCOPE_PT_tracks.draw(self, context)
        SKINSCOPE_PT_track_events.draw(self, context)
bpy.utils.register_class(SKINSCOPE_PT_mixer)
reset(); settings.blender_mesh = "HIDDEN"; settings.show_figures = False
with view3d():
    bpy.ops.skinscope.clips_refresh()
script, listed = rig.skinscope_animation.script, clip_list(rig)
for name in ("Walking_A", "Running_A"):
    listed.active = next(place for place, one in enumerate(listed.clips) if one.name.startswith(name))
    with view3d():
        bpy.ops.skinscope.track_add()
script.tracks[1].enabled = False
script.tracks[1].weight = 0.0
for kind, number, value in (("ENABLE", 1, True), ("WEIGHT", 0, 0.0), ("WEIGHT", 1, 1.0)):
    key = script.keys.add()
    key.kind, key.number, key.time, key.duration, key.transition = kind, number, 1.2, 0.5, "EASE"
    setattr(key, "enabled" if kind == "ENABLE" else "share", value)
script.active_key = 2
with view3d():
    bpy.ops.skinscope.script_play()
    bpy.ops.skinscope.script_play()
session.players.go_to(rig.session_uid, 1.45)
session.players.tick()
"""
)


def tracks(blender: WindowedBlender) -> Picture:
    """Take the sidebar with two tracks and their keys, and the character half-way from its walk to its run."""
    blender.run(SHOW_TRACKS, timeout=300)
    picture = view(blender)
    blender.run(SHOW_OTHERS)
    return picture


# The same with the panel of Cached Playback, and the knight at its run, all of it known.
SHOW_CACHED = (
    SHOW_MIXER[: SHOW_MIXER.index("class SKINSCOPE_PT_mixer")].replace(
        "from skinning_addon.ui.clips.animation_panel import SKINSCOPE_PT_animation",
        "from skinning_addon.ui.playback.cached_panel import SKINSCOPE_PT_cached_playback",
    )
    + """\
class SKINSCOPE_PT_mixer(bpy.types.Panel):
    bl_label = SKINSCOPE_PT_cached_playback.bl_label
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Skinscope"
    draw_header = SKINSCOPE_PT_cached_playback.draw_header
    draw = SKINSCOPE_PT_cached_playback.draw
bpy.utils.register_class(SKINSCOPE_PT_mixer)
reset(); session.stop_all()
run = next(one for one in bpy.data.actions if one.name.startswith("Running_A"))
for track in rig.animation_data.nla_tracks:
    track.mute = True
rig.animation_data.action = run
if hasattr(run, "slots"):
    rig.animation_data.action_slot = run.slots[0]
scene.frame_start, scene.frame_end = 1, round(run.frame_range[1])
settings.cached_playback, settings.cached_scrubbing = True, True
window = bpy.context.window_manager.windows[0]
timeline = next(one for one in window.screen.areas if one.type == "DOPESHEET_EDITOR")
with bpy.context.temp_override(window=window, area=timeline, region=timeline.regions[-1]):
    bpy.ops.action.view_all()
"""
)
PLAYS_FROM_MEMORY = "session.cached.shown and session.cached.costs.remembered is not None"
PLAY = "with view3d(): bpy.ops.screen.animation_play()"


def cached(blender: WindowedBlender) -> Picture:
    """Take the 3D view, its sidebar and the timeline while the character plays from memory."""
    blender.run(SHOW_CACHED, timeout=300)
    blender.wait_until("session.cached.cache.groups")
    blender.run(PLAY)
    blender.wait_until(PLAYS_FROM_MEMORY, timeout=300)
    screen = blender.screenshot(settled=False)
    left, width, top, bottom = blender.run(
        "with view3d() as area: pass\n"
        "(area.x, area.width, window.height - area.y - area.height, window.height - timeline.y)"
    )
    blender.run(PLAY)
    blender.run("settings.cached_playback = False")
    blender.run(SHOW_OTHERS[SHOW_OTHERS.index("bpy.utils") :])
    return screen[top:bottom, left : left + width]


def comparing(blender: WindowedBlender) -> Picture:
    """Put the ways to compare in place beside one another: shown, as a ghost, hidden, and Blender's in our
    place.
    """
    pictures = []
    # Something to be seen: a modifier behind the armature, which Blender draws and no engine has.
    blender.run(
        "reset(); settings.show_figures = False\n"
        "body = next(one for one in bpy.data.objects if one.type == 'MESH' and 'Body' in one.name)\n"
        "body.modifiers.new('Swollen', 'CAST').factor = 0.35"
    )
    place(blender, distance=3.7, wide=WHOLE)
    for change in ("SHOWN", "GHOST", "HIDDEN"):
        blender.run(f"settings.blender_mesh = {change!r}")
        pictures.append(middle(blender, wide=0.62))
    blender.run("with view3d(): bpy.ops.skinscope.flicker()")
    pictures.append(middle(blender, wide=0.62))
    blender.run(
        "with view3d(): bpy.ops.skinscope.flicker()\nbody.modifiers.remove(body.modifiers['Swollen'])"
    )
    return tiled(pictures, 4)


def split(blender: WindowedBlender) -> Picture:
    """Take the view with Blender's result left of the line and ours right of it."""
    blender.run(
        "reset(); settings.placement = 'SPLIT'; space.show_gizmo = True; space.show_gizmo_navigate = False"
    )
    picture = canvas(blender)
    blender.run("space.show_gizmo = False")
    return picture


def inspect(blender: WindowedBlender) -> Picture:
    """Take the mark of a vertex that was clicked, and what the sidebar says of it."""
    blender.run(
        "from skinning_addon.viewport.overlay.inspection import Target\n"
        "reset(); settings.show_figures = False; settings.display = 'DOMINANT_BONE'\n"
        "arm = next(one for one in bpy.data.objects if one.type == 'MESH' and 'ArmLeft' in one.name)\n"
        "preview = session.preview_of(arm)\n"
        "counts = preview.binding.passes[0].skin.counts\n"
        "session.inspection.pinned = Target(preview.uid, int(counts.argmax()))"
    )
    place(blender, centre=(0.35, 0, 1.0), distance=2)
    marked = figure(blender)
    words = side_panel(blender, "SKINSCOPE_PT_inspector", marked.shape[0])
    blender.run("session.inspection.clear()")
    return np.concatenate((marked, words), axis=1)


def matrices(blender: WindowedBlender) -> Picture:
    """Take the active bone's matrices."""
    # Offset and final are those of a mesh.
    blender.run(
        "from skinning_addon.viewport.choices.preferences import ADD_ON\n"
        "bpy.context.preferences.addons[ADD_ON].preferences.show_developer = True\n"
        "reset()\n"
        "next(one for one in bpy.data.objects if one.type == 'MESH' and 'ArmLeft' in one.name).select_set(True)"
    )
    picture = side_panel(blender, "SKINSCOPE_PT_matrices", 505)
    blender.run(
        "for one in bpy.data.objects: one.select_set(one == rig)\n"
        "bpy.context.preferences.addons[ADD_ON].preferences.show_developer = False"
    )
    return picture


# Blender warns of the short name under which the pictures' own code has imported the extension.
SHOW_PREFERENCES = """\
import sys
for name in [one for one in sys.modules if one.split(".")[0] == "skinning_addon"]:
    del sys.modules[name]
manager = bpy.context.window_manager
area = next(one for one in manager.windows[0].screen.areas if one.type == "VIEW_3D")
area.ui_type = "PREFERENCES"
bpy.context.preferences.active_section = "ADDONS"
manager.addon_search = "Skinscope"
bpy.ops.preferences.addon_expand(module="bl_ext.user_default.skinscope")
with bpy.context.temp_override(window=manager.windows[0], area=area, region=area.regions[-1]):
    bpy.ops.screen.screen_full_area()
"""


def preferences(blender: WindowedBlender) -> Picture:
    """Take the add-on's preferences. They stand where the 3D view was: nothing can be taken of that
    afterwards.
    """
    blender.run(SHOW_PREFERENCES)
    # No tooltip. Of the preferences, all but the keymap, which the guide has as a table.
    blender.xdotool("mousemove", "1278", "798")
    return blender.screenshot(timeout=90)[300:1004, 165:1275]


def aside(blender: WindowedBlender) -> Picture:
    """Take the skinned character beside Blender's."""
    blender.run(
        "reset(); settings.placement = 'ASIDE'; settings.axis = 'X'; settings.distance = 1.5\n"
        "settings.show_figures = True"
    )
    place(blender, centre=(0.75, 0, 1), distance=4.5, wide=WHOLE)
    return canvas(blender)


def figures(blender: WindowedBlender) -> Picture:
    """Take the heat map of an engine that is off, and the numbers behind it in their fold."""
    blender.run("reset(); settings.profiles.profile = 'unity-2'; settings.display = 'DEVIATION'")
    # The one that is furthest off.
    blender.run(
        "arm = next(one for one in bpy.data.objects if one.type == 'MESH' and 'Body' in one.name)\n"
        "arm.select_set(True); bpy.context.view_layer.objects.active = arm"
    )
    place(blender, centre=(-0.25, 0, 0.62), distance=5)
    seen = figure(blender)
    words = side_panel(blender, "SKINSCOPE_PT_figure_details", seen.shape[0])
    blender.run(
        "settings.profiles.profile = 'blender'\n"
        "bpy.context.view_layer.objects.active = rig\n"
        "for one in bpy.data.objects: one.select_set(one == rig)"
    )
    return np.concatenate((seen, words), axis=1)


SHOTS = (
    Shot("panel", panel),
    Shot("split", split),
    Shot("overlays", overlays),
    Shot("mixer", mixer),
    Shot("tracks", tracks, TALL),
    Shot("cached", cached),
    # From here on the view is elsewhere.
    Shot("displays", displays),
    Shot("spaces", spaces),
    Shot("aside", aside),
    Shot("comparing", comparing),
    Shot("figures", figures),
    Shot("inspect", inspect),
    Shot("matrices", matrices),
    Shot("preferences", preferences, TALLEST),
)


def main() -> None:
    wanted = [one for one in SHOTS if not sys.argv[1:] or one.name in sys.argv[1:]]
    for height in dict.fromkeys(one.height for one in wanted):
        with running_blender(Path(os.environ["RIG"]).resolve(), height=height) as blender:
            for shot in (one for one in wanted if one.height == height):
                write(shot.name, shot.take(blender))
                print(shot.name, flush=True)


if __name__ == "__main__":
    main()
