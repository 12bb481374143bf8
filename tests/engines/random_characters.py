"""Random characters for exporters: a random rig with actions that leave bones out, posed by hand, with constraints
and drivers, and a mesh and an armature that hang on each other in one of the ways that artists find.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector

from skinning_addon.scene.clips.actions import fcurves
from tests.engines.partly_keyed import turning_object
from tests.scene.random_rig import INHERIT_SCALE_MODES, RandomRig, RigOptions, random_rig

FIRST, LAST = 1, 10

LAST_KEY = 8
"""Of each action: a file holds nothing after it."""

ACTIONS = ("able", "Mid", "Zed")

CHANNELS = ("location", "rotation_quaternion", "scale")

OWN_CURVES = (("location", 0), ("location", 1), ("rotation_euler", 2))
"""What moves an object as a whole: data paths and indices."""


@dataclass(frozen=True)
class Character:
    """rig: its rig. actions: how many. active: number of the one assigned, None for none. tracks: 'none',
    'muted', 'playing'. hangs: how its mesh and armature hang on each other, a row of `HANGS`. other: whether
    there is another armature. driven, dragged: whether a driver moves a bone, and a turning object another.
    shown: the frame that the scene shows. uneven: whether actions begin and end at frames of their own.
    blocked: whether most of their channels keep each key up to the next.
    """

    rig: RigOptions
    actions: int
    active: int | None
    tracks: str
    hangs: str
    other: bool
    driven: bool
    dragged: bool
    shown: int
    uneven: bool
    blocked: bool

    def range_of(self, number: int) -> tuple[int, int]:
        """Return the first and the last keyed frame of an action."""
        if not self.uneven:
            return FIRST, LAST_KEY
        random = np.random.default_rng([self.rig.seed, 6, number])
        return FIRST + int(random.integers(3)), LAST_KEY - int(random.integers(3))

    def __str__(self) -> str:
        rig = self.rig
        words = [f"seed {rig.seed}", f"scale {rig.scale}", f"inherit {rig.inherit_scale}", self.hangs]
        words += [f"{self.actions} actions, active {self.active}, tracks {self.tracks}"]
        said = {"constraints": rig.constraints, "transformed": rig.transformed, "mask": rig.mask}
        said |= {"volume": rig.preserve_volume, "bendy": rig.bendy > 1, "envelopes": rig.envelopes}
        said |= {
            "other armature": self.other,
            "driven": self.driven,
            "dragged": self.dragged,
            "uneven actions": self.uneven,
        }
        return ", ".join([*words, *(word for word, is_so in said.items() if is_so)])


def draw_character(seed: int) -> Character:
    """Draw a character."""
    random = np.random.default_rng(seed)

    def chance(share: float) -> bool:
        return bool(random.random() < share)

    rig = RigOptions(
        seed=seed,
        vertices=80,
        bones=int(random.integers(4, 10)),
        influences=int(random.integers(2, 7)),
        scale=str(random.choice(["none", "uniform", "non-uniform", "non-uniform", "negative"])),
        inherit_scale=str(random.choice(INHERIT_SCALE_MODES)),
        transformed=chance(0.25),
        constraints=chance(0.3),
        preserve_volume=chance(0.1),
        mask=chance(0.1),
        bendy=3 if chance(0.1) else 1,
        envelopes=chance(0.05),
    )
    actions = int(random.integers(0, 4))
    return Character(
        rig,
        actions,
        active=int(random.integers(actions)) if actions and chance(0.8) else None,
        tracks=str(random.choice(["none", "none", "muted", "playing"])) if actions else "none",
        hangs=str(random.choice(list(HANGS))),
        other=chance(0.2),
        driven=chance(0.15),
        dragged=chance(0.15),
        shown=int(random.integers(FIRST, LAST + 1)),
        uneven=chance(0.4),
        blocked=chance(0.15),
    )


def build(character: Character) -> RandomRig:
    """Build a character in an empty scene, which plays frames FIRST to LAST."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 24, 1.0
    scene.frame_start, scene.frame_end = FIRST, LAST
    rig = random_rig(character.rig)
    random = np.random.default_rng([character.rig.seed, 1])
    for number in range(character.actions):
        _key(rig, ACTIONS[number], random, character.range_of(number))
        if character.blocked:
            _block(bpy.data.actions[ACTIONS[number]], np.random.default_rng([character.rig.seed, 7, number]))
    armature = rig.armature
    if character.actions:
        armature.animation_data.action = None
        if character.tracks != "none":
            _push_down(armature, muted=character.tracks == "muted")
        if character.active is not None:
            _assign(armature, bpy.data.actions[ACTIONS[character.active]])
    HANGS[character.hangs](rig)
    if character.driven:
        armature.pose.bones[-2].driver_add("location", 1).driver.expression = "frame / 30"
    if character.dragged:
        armature.pose.bones[1].constraints.new("COPY_ROTATION").target = turning_object()
    if character.other:
        other = bpy.data.objects.new("Other", armature.data.copy())
        scene.collection.objects.link(other)
    rig.pose()
    scene.frame_set(character.shown)
    return rig


def _key(rig: RandomRig, name: str, random: np.random.Generator, ends: tuple[int, int]) -> None:
    """Make an action that keys some bones in some channels."""
    armature = rig.armature
    data = armature.animation_data or armature.animation_data_create()
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    data.action = action
    keyed = [(bone, channel) for bone in armature.pose.bones for channel in CHANNELS if random.random() < 0.6]
    keyed = keyed or [(armature.pose.bones[0], CHANNELS[1])]
    for frame in (ends[0], 4, ends[1]):
        rig.pose()
        for bone, channel in keyed:
            bone.keyframe_insert(channel, frame=frame)


def _block(action: bpy.types.Action, random: np.random.Generator) -> None:
    """Have most curves keep each key up to the next."""
    for curve in fcurves(action):
        if random.random() < 0.9:
            for key in curve.keyframe_points:
                key.interpolation = "CONSTANT"


def _assign(armature: bpy.types.Object, action: bpy.types.Action) -> None:
    armature.animation_data.action = action
    if hasattr(action, "slots"):
        armature.animation_data.action_slot = action.slots[0]


def _push_down(armature: bpy.types.Object, *, muted: bool) -> None:
    for action in bpy.data.actions:
        track = armature.animation_data.nla_tracks.new()
        track.name = action.name
        strip = track.strips.new(action.name, round(action.frame_range[0]), action)
        if hasattr(action, "slots"):
            strip.action_slot = action.slots[0]
        track.mute = muted


def slide(rig: RandomRig, one: bpy.types.Object) -> None:
    """Key an object's own transform on top of where it is. For the armature, each action that it has for its bones
    keys some channels, or none.
    """
    random = np.random.default_rng([rig.options.seed, 4])
    one.rotation_mode = "XYZ"
    data = one.animation_data
    active = data.action if data is not None else None
    own = [action for action in bpy.data.actions if one.type == "ARMATURE" and action.name in ACTIONS]
    start, turn = one.location.copy(), one.rotation_euler.z
    for number, action in enumerate(own or [None]):
        if action is not None:
            _assign(one, action)
        keyed = [curve for curve in OWN_CURVES if not own or random.random() < 0.7]
        for frame, share in ((FIRST, 0.5), (LAST, 1.0)):
            one.location = (start.x + share * (1 + 0.2 * number), start.y + share, start.z)
            one.rotation_euler.z = turn + (0.8 - number) * share
            for path, index in keyed:
                one.keyframe_insert(path, index=index, frame=frame)
    if active is not None:
        _assign(one, active)
    elif own:
        one.animation_data.action = None


def _carried(rig: RandomRig) -> None:
    to_world = rig.mesh.matrix_world.copy()
    rig.mesh.parent = rig.armature
    rig.mesh.matrix_parent_inverse = rig.armature.matrix_world.inverted()
    rig.mesh.matrix_world = to_world


def _under_an_empty(rig: RandomRig) -> None:
    """Hang the armature on an unevenly scaled, turned empty, and the mesh on the armature."""
    empty = bpy.data.objects.new("Stretched", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.matrix_world = Matrix.LocRotScale(
        Vector((0.3, 0, 0)), Euler((0.4, 0.2, 0.5)), Vector((1, 1.6, 0.7))
    )
    bpy.context.view_layer.update()
    rig.armature.parent = empty
    rig.armature.rotation_mode = "QUATERNION"
    rig.armature.rotation_quaternion = Quaternion((1, 1, 0), 0.7)
    rig.mesh.parent = rig.armature


def _on_a_bone(rig: RandomRig) -> None:
    rig.mesh.parent, rig.mesh.parent_type = rig.armature, "BONE"
    rig.mesh.parent_bone = rig.armature.data.bones[1].name


HANGS: dict[str, Callable[[RandomRig], object]] = {
    "beside": lambda _: None,
    "carried": _carried,
    "carried, moved": lambda rig: (_carried(rig), slide(rig, rig.mesh)),
    "beside, moved": lambda rig: slide(rig, rig.mesh),
    "carried by a moved armature": lambda rig: (_carried(rig), slide(rig, rig.armature)),
    "beside a moved armature": lambda rig: slide(rig, rig.armature),
    "under a stretched empty": _under_an_empty,
    "on a bone": _on_a_bone,
}
"""How a mesh and its armature hang on each other."""
