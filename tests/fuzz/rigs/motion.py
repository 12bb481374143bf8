"""Movement and change over time other than the pose: keys and drivers on settings, shape keys and objects; the
scene's time.
"""

from __future__ import annotations

import bpy
import numpy as np

from tests.fuzz.rigs.plain_rig import Rig, key_pose
from tests.fuzz.rigs.recipe import PLACES, Feature

MODIFIERS = ("armature", *PLACES)
"""Modifiers whose setting is keyed or driven."""

SHAPES = ("keyed", "driven", "still", "absolute", "masked", "muted")
TIMES = ("stretched", "negative", "rate", "fractions")

BONE_SETTINGS = frozenset(
    {
        "use_deform",
        "bbone_segments",
        "bbone_x",
        "bbone_z",
        "bbone_rollin",
        "bbone_curveinx",
        "bbone_easein",
        "envelope_distance",
        "envelope_weight",
        "use_envelope_multiply",
        "head_radius",
        "tail_radius",
        "use_inherit_rotation",
        "use_local_location",
        "inherit_scale",
    }
)
"""Bone settings that affect deformation; Blender determines which of them can be keyed."""


def shape_keys(rig: Rig, feature: Feature) -> None:
    keys = rig.mesh
    keys.shape_key_add(name="Basis")
    for number in range(2):
        key = keys.shape_key_add(name=f"Key {number}")
        moved = rig.random.normal(size=(len(key.data), 3)) * 0.1
        for point, offset in zip(key.data, moved, strict=True):
            point.co = np.array(point.co) + offset
        key.value = rig.random.uniform(0, 1)
    own = keys.data.shape_keys
    own.key_blocks[1].relative_key = own.key_blocks[2] if rig.random.random() < 0.2 else own.key_blocks[0]
    match feature.detail:
        case "keyed":
            _key(own.key_blocks[1], "value", rig, (0, 1))
        case "driven":
            _drive(own.key_blocks[1], "value", rig)
        case "absolute":
            own.use_relative = False
            own.eval_time = 5
            _key(own, "eval_time", rig, (0, 20))
        case "masked":
            own.key_blocks[1].vertex_group = "half"
        case "muted":
            own.key_blocks[1].mute = True


def keyed_modifier(rig: Rig, feature: Feature) -> None:
    _change_modifier(rig, feature, driven=False)


def driven_modifier(rig: Rig, feature: Feature) -> None:
    _change_modifier(rig, feature, driven=True)


def keyed_bone(rig: Rig, feature: Feature) -> None:
    """Key a setting of bones. detail: which one, from `bone_settings`."""
    _change_bone(rig, feature.detail, driven=False)


def driven_bone(rig: Rig, feature: Feature) -> None:
    _change_bone(rig, feature.detail, driven=True)


def bone_settings() -> tuple[str, ...]:
    """Name the settings in `BONE_SETTINGS` that this Blender can key."""
    return tuple(
        one.identifier
        for one in bpy.types.Bone.bl_rna.properties
        if one.identifier in BONE_SETTINGS and one.is_animatable and not one.is_readonly
    )


def keyed_object(rig: Rig, feature: Feature) -> None:
    """Key the location of the mesh, of the armature, or of something around them."""
    one = {"mesh": rig.mesh, "armature": rig.armature}.get(feature.detail) or rig.thing("EMPTY")
    for path, spread in (("location", 0.3), ("rotation_euler", 0.5)):
        start = np.array(getattr(one, path))
        for frame in (rig.frames[0], rig.frames[-1]):
            setattr(one, path, start + rig.random.normal(size=3) * spread)
            one.keyframe_insert(path, frame=frame)


def time(rig: Rig, feature: Feature) -> None:
    """Change the relation of frames to seconds from the usual one."""
    scene = bpy.context.scene
    match feature.detail:
        case "stretched":
            scene.render.frame_map_old, scene.render.frame_map_new = (
                100,
                int(rig.random.choice((50, 150, 200))),
            )
        case "negative":
            # A scene's own range can't include negative frames.
            scene.frame_start, scene.frame_end = 0, 2
            rig.frames = (-3.0, -1.0, 0.0)
            rig.armature.animation_data_clear()
            key_pose(rig.armature, rig.random, (*rig.frames, 2.0))
        case "rate":
            scene.render.fps = int(rig.random.choice((1, 12, 60)))
            scene.render.fps_base = float(rig.random.choice((1.0, 1.001)))
        case "fractions":
            rig.frames = (1.0, 1.25, 2.5, 3.0)


EVER_OTHER = frozenset({"double_threshold"})
"""Settings that are never keyed or driven: with a Boolean's threshold at the mesh's own width, Blender merges
different vertices each time."""


def _change_modifier(rig: Rig, feature: Feature, *, driven: bool) -> None:
    """Key or drive a setting of the first armature modifier, or of the first other modifier at a place
    (detail); do nothing if there is none, so that it is the same setting whatever else is left out.
    """
    name = "Armature" if feature.detail == "armature" else f" {feature.detail}"
    modifier = next((one for one in rig.mesh.modifiers if one.name == name or one.name.endswith(name)), None)
    if modifier is None:
        return
    if modifier.type == "ARMATURE" and rig.random.random() < 0.5:
        modifier.vertex_group = "half"
    names = [
        one.identifier
        for one in modifier.bl_rna.properties
        if one.is_animatable
        and not one.is_readonly
        and one.type in {"BOOLEAN", "FLOAT"}
        and not getattr(one, "array_length", 0)
        and one.identifier not in EVER_OTHER
        and one.identifier
        not in {"show_expanded", "show_in_editmode", "show_on_cage", "is_active", "show_render"}
    ]
    if names:
        _change(modifier, str(rig.random.choice(names)), rig, driven=driven)


def _change_bone(rig: Rig, name: str, *, driven: bool) -> None:
    bones = rig.armature.data.bones
    bone = bones[int(rig.random.integers(len(bones)))]
    if name.startswith("bbone") and name != "bbone_segments":
        bone.bbone_segments = 3
    if name.startswith(("envelope", "head", "tail")):
        rig.mesh.modifiers["Armature"].use_bone_envelopes = True
        rig.mesh.modifiers["Armature"].use_vertex_groups = False
    if name == "use_envelope_multiply":
        rig.mesh.modifiers["Armature"].use_bone_envelopes = True
    _change(bone, name, rig, driven=driven)


def _change(owner: bpy.types.bpy_struct, name: str, rig: Rig, *, driven: bool) -> None:
    one = owner.bl_rna.properties[name]
    if driven:
        _drive(owner, name, rig)
        return
    match one.type:
        case "BOOLEAN":
            ends = (not getattr(owner, name), getattr(owner, name))
        case "ENUM":
            ends = tuple(
                str(each) for each in rig.random.choice([item.identifier for item in one.enum_items], 2)
            )
        case "INT":
            ends = (max(1, one.soft_min), max(1, one.soft_min) + 3)
        case _:
            ends = (max(one.soft_min, -1.0), min(one.soft_max, 1.0))
    _key(owner, name, rig, ends)


def _key(owner: bpy.types.bpy_struct, name: str, rig: Rig, ends: tuple[object, object]) -> None:
    for frame, value in zip((rig.frames[0], rig.frames[-1]), ends, strict=True):
        setattr(owner, name, value)
        owner.keyframe_insert(name, frame=frame)


def _drive(owner: bpy.types.bpy_struct, name: str, rig: Rig) -> None:
    """Drive a setting by something that moves, without Python: a bone or, if the setting would then depend on
    itself, an object.
    """
    driver = owner.driver_add(name).driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    target = variable.targets[0]
    if isinstance(owner, bpy.types.Bone):
        target.id, target.transform_type = _moving(rig), "LOC_X"
    else:
        target.id, target.bone_target, target.transform_type = rig.armature, "bone 2", "ROT_X"
        target.transform_space = "LOCAL_SPACE"


def _moving(rig: Rig) -> bpy.types.Object:
    one = rig.thing("DRIVING")
    for frame, place in zip((rig.frames[0], rig.frames[-1]), (0.2, 1.7), strict=True):
        one.location.x = place
        one.keyframe_insert("location", frame=frame)
    return one
