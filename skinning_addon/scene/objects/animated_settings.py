"""Finding settings of an object and its data that are keyed or driven, and so may change between frames."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import bpy

from ..clips.actions import fcurves
from ..object_data import armature_of, mesh_of
from .modifier_stack import (
    STILL_TYPES,
    WEIGHT_CHANGING_TYPES,
    ModifierStack,
    deforms_as_parent,
    keeps_positions,
    leaves_input_alone,
    read_stack,
)

HIDDEN = "hide_viewport"
"""Data path of an object's switch *Show in Viewports*. Hidden, Blender does not evaluate it."""


def animated_paths(block: bpy.types.ID | None) -> frozenset[str]:
    """Return a block's data paths that its action, NLA strips or drivers animate, including muted ones."""
    animation = getattr(block, "animation_data", None)
    if animation is None:
        return frozenset()
    return frozenset(curve.data_path for curve in (*animation.drivers, *_keyed(animation)))


def modifier_path(name: str, setting: str = "") -> str:
    """Return the data path of an object's modifier, or of one of its settings."""
    return f'modifiers["{bpy.utils.escape_identifier(name)}"]' + (f".{setting}" if setting else "")


def is_switched(mesh_object: bpy.types.Object, modifier: bpy.types.Modifier) -> bool:
    """Tell whether keys or drivers switch an object's modifier on and off in the viewport."""
    return modifier_path(modifier.name, "show_viewport") in animated_paths(mesh_object)


def stop_switching(mesh_object: bpy.types.Object, modifier: bpy.types.Modifier) -> None:
    """Stop all animation that switches a modifier on or off, in the viewport or in renders.

    Changes the object and its actions; for files opened for measuring, not for a user's session.
    """
    _stop(
        mesh_object, {modifier_path(modifier.name, setting) for setting in ("show_viewport", "show_render")}
    )


def stop_hiding(any_object: bpy.types.Object) -> None:
    """Stop all animation that hides an object in the viewport.

    Changes the object and its actions; for files opened for measuring, not for a user's session.
    """
    _stop(any_object, {HIDDEN})


def _stop(any_object: bpy.types.Object, paths: Collection[str]) -> None:
    """Stop what animates some of an object's settings."""
    animation = any_object.animation_data
    if animation is None:
        return
    for curve in [one for one in animation.drivers if one.data_path in paths]:
        animation.drivers.remove(curve)
    for curve in _keyed(animation):
        if curve.data_path in paths:
            curve.mute = True


def armatures_at_some_frame(mesh_object: bpy.types.Object) -> tuple[bpy.types.Object, ...]:
    """Return the armature objects of the current frame's passes and of those that keys or drivers switch on."""
    switched = [
        one.object
        for one in mesh_object.modifiers
        if isinstance(one, bpy.types.ArmatureModifier) and one.object and is_switched(mesh_object, one)
    ]
    return tuple(dict.fromkeys((*read_stack(mesh_object).armature_objects, *switched)))


def modifiers_after_armatures(mesh_object: bpy.types.Object) -> tuple[bpy.types.Modifier, ...]:
    """Return the modifiers that change a mesh after its armatures, at the current frame or any other."""
    armatures = armatures_at_some_frame(mesh_object)
    indices = [
        index
        for index, one in enumerate(mesh_object.modifiers)
        if isinstance(one, bpy.types.ArmatureModifier)
        and one.object in armatures
        and (one.show_viewport or is_switched(mesh_object, one))
    ]
    if not armatures:
        return ()
    after = list(mesh_object.modifiers)[indices[-1] + 1 if indices else 0 :]
    return tuple(
        one
        for one in after
        if not keeps_positions(one) and (one.show_viewport or is_switched(mesh_object, one))
    )


def armature_is_switched(mesh_object: bpy.types.Object) -> bool:
    """Tell whether a mesh object has an armature modifier that is switched on and off between frames."""
    return any(
        isinstance(one, bpy.types.ArmatureModifier)
        and one.object is not None
        and is_switched(mesh_object, one)
        for one in mesh_object.modifiers
    )


def deformation_is_animated(mesh_object: bpy.types.Object) -> bool:
    """Tell whether the settings of modifiers or bones that bind a mesh may change between frames."""
    if any(path.startswith("modifiers[") for path in animated_paths(mesh_object)):
        return True
    armatures = [one.object for one in mesh_object.modifiers if isinstance(one, bpy.types.ArmatureModifier)]
    if mesh_object.parent is not None and mesh_object.parent.type == "ARMATURE":
        armatures.append(mesh_object.parent)
    return any(animated_bone_settings(armature_of(one)) for one in armatures if one is not None)


def animated_bone_settings(armature: bpy.types.Armature) -> tuple[str, ...]:
    """Return the data paths of the bones' settings that keys or drivers change, other than those of bendy bones
    if there are none: generated rigs drive these for every bone.
    """
    paths = sorted(path for path in animated_paths(armature) if path.startswith("bones["))
    if any(path.endswith(".bbone_segments") for path in paths) or any(
        one.bbone_segments > 1 for one in armature.bones
    ):
        return tuple(paths)
    return tuple(path for path in paths if ".bbone_" not in path)


def may_change_weights(mesh_object: bpy.types.Object, modifier: bpy.types.Modifier) -> bool:
    """Tell whether the weights after `modifier` may differ from frame to frame."""
    if isinstance(modifier, bpy.types.NodesModifier):
        return not keeps_positions(modifier)
    if modifier.type not in WEIGHT_CHANGING_TYPES:
        return False
    if _names_data(modifier):
        return True
    path = modifier_path(modifier.name) + "."
    return any(one.startswith(path) for one in animated_paths(mesh_object))


def input_may_play(mesh_object: bpy.types.Object) -> bool:
    """Tell whether shape keys or modifiers before the armature may move vertices from frame to frame."""
    mesh = mesh_of(mesh_object)
    return bool(animated_paths(mesh) or animated_paths(mesh.shape_keys)) or modifiers_play(mesh_object)


def input_plays(mesh_object: bpy.types.Object) -> bool:
    """Tell whether anything may move vertices from frame to frame before the armature does. Unlike
    `input_may_play`, this leaves out what decides how armatures bend them.
    """
    mesh = mesh_of(mesh_object)
    if animated_paths(mesh) or animated_paths(mesh.shape_keys) or deforms_as_parent(mesh_object):
        return True
    return not all(map(leaves_input_alone, read_stack(mesh_object).before))


def modifiers_play(mesh_object: bpy.types.Object) -> bool:
    """Tell whether the input or the effect of the armature modifiers depends on modifiers that may be animated.

    Animated shape keys count if anything depends on the vertices' positions: modifiers before the armature,
    envelopes or bendy bones.
    """
    if deformation_is_animated(mesh_object) or deforms_as_parent(mesh_object):
        return True
    stack = read_stack(mesh_object)
    changing = [one for one in stack.before if not leaves_input_alone(one)]
    mesh = mesh_of(mesh_object)
    if animated_paths(mesh) or animated_paths(mesh.shape_keys):
        return bool(changing) or _weights_depend_on_positions(stack)
    return any(one.type not in STILL_TYPES or _names_data(one) for one in changing)


def _weights_depend_on_positions(stack: ModifierStack) -> bool:
    if stack.armature_parent is not None or any(one.use_bone_envelopes for one in stack.armatures):
        return True
    return any(
        bone.bbone_segments > 1 or bone.use_envelope_multiply
        for armature in stack.armature_objects
        for bone in armature_of(armature).bones
    )


def _names_data(modifier: bpy.types.Modifier) -> bool:
    """Tell whether a modifier uses objects or textures, which may move or be animated."""
    return any(
        isinstance(one, bpy.types.PointerProperty)
        and one.fixed_type.identifier in {"Object", "Texture"}
        and getattr(modifier, one.identifier) is not None
        for one in modifier.bl_rna.properties
    )


def owners_of_actions(any_object: bpy.types.Object) -> list[bpy.types.AnimData | bpy.types.NlaStrip]:
    """Return what plays actions on an object: its animation data, and strips, those in others included."""
    animation = any_object.animation_data
    if animation is None:
        return []
    return [animation, *_strips(strip for track in animation.nla_tracks for strip in track.strips)]


def _keyed(animation: bpy.types.AnimData) -> Iterator[bpy.types.FCurve]:
    strips = _strips(strip for track in animation.nla_tracks for strip in track.strips)
    for owner in (animation, *strips):
        if owner.action is not None:
            yield from fcurves(owner.action)


def _strips(strips: Iterable[bpy.types.NlaStrip]) -> Iterator[bpy.types.NlaStrip]:
    for strip in strips:
        yield strip
        yield from _strips(strip.strips)
