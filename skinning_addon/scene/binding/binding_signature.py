"""Detecting whether a binding is stale at the current frame: the only code that decides this.

Settings of modifiers and bones may be keyed, driven, or set by a script. The depsgraph's evaluated values are
used: Blender writes animated values back to the originals only for a window's depsgraph, and another scene may
show another frame.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..armatures.bendy_reader import CURVE_SETTINGS
from ..identification import identity
from ..matrices import row_vectors
from ..object_data import armature_of, mesh_of
from ..objects.animated_settings import animated_bone_settings
from ..objects.modifier_stack import armature_objects, is_placed_by_bone, left_out_modifiers

_ARMATURE_MODIFIER_SETTINGS = (
    "show_viewport",
    "use_vertex_groups",
    "use_bone_envelopes",
    "use_deform_preserve_volume",
    "use_multi_modifier",
    "vertex_group",
    "invert_vertex_group",
)

_BONE_SETTINGS = (
    "use_deform",
    "use_relative_parent",
    "length",
    "bbone_segments",
    "use_envelope_multiply",
    "envelope_distance",
    "envelope_weight",
    "head_radius",
    "tail_radius",
)
_BENDING_SETTINGS = (
    *CURVE_SETTINGS,
    "use_endroll_as_inroll",
    "use_scale_easing",
    "use_connect",
    "bbone_handle_use_ease_start",
    "bbone_handle_use_ease_end",
)
_BENDING_TRIPLES = (
    "bbone_scalein",
    "bbone_scaleout",
    "bbone_handle_use_scale_start",
    "bbone_handle_use_scale_end",
)
_BENDING_CHOICES = ("bbone_mapping_mode", "bbone_handle_type_start", "bbone_handle_type_end")
"""Only read for bendy bones."""


@dataclass(frozen=True)
class BindingSignature:
    """Compares equal until something that a binding was read from changes, except for changes that Blender
    reports.

    mesh: the sources of `MeshContents`. stack: the object and its modifiers. bones: the armatures' bones, one
    armature after the other. What objects are called comes first in either.
    """

    mesh: Hashable
    stack: tuple[Hashable, ...]
    bones: tuple[tuple[Hashable, ...], ...]


def binding_signature(
    mesh_object: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    armature_signature: Callable[[bpy.types.Object], tuple[Hashable, ...]] | None = None,
) -> BindingSignature:
    """Summarize a binding's sources, except the mesh itself. Costs about two microseconds per bone.

    Blender's depsgraph reports every change of the mesh (weights, coordinates, and the modifiers of its
    objects), but for an armature it reports the same whether a bone is posed, selected or made to deform. The
    signature distinguishes these:

    - the mode, the mesh, the modifiers and which of them are on: they determine the first pass's input;
    - the parent and each armature modifier's settings, which can be animated without a report;
    - the names of the vertex groups: adding one doesn't change the mesh;
    - each armature's bones: their order, names, rest pose and deform settings.

    mesh_object: the original. armature_signature: returns that of an evaluated armature, where many meshes have
    the same one; read here if omitted.
    """
    evaluated = mesh_object.evaluated_get(depsgraph)
    return BindingSignature(
        _mesh_signature(mesh_object, evaluated, depsgraph),
        _stack_signature(mesh_object, evaluated),
        _bones_signature(evaluated, armature_signature or signature_of_armature),
    )


def is_still_bound(
    read_from: Hashable,
    mesh_object: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
    watched: WatchedBones | None = None,
) -> bool:
    """Tell whether a binding with this `read_from` (`Binding.read_from`) still matches Blender's deformation.

    Equivalent to comparing with `binding_signature`, but cheaper: about ten microseconds. Bones, at two
    microseconds each, are checked only if their settings may be keyed or driven; Blender reports all other
    changes to them. watched: of this binding, which is made again with each report: then only the keyed and
    driven settings are read, at one microsecond each.
    """
    if not isinstance(read_from, BindingSignature):
        return True
    evaluated = mesh_object.evaluated_get(depsgraph)
    if (
        _mesh_signature(mesh_object, evaluated, depsgraph) != read_from.mesh
        or _stack_signature(mesh_object, evaluated) != read_from.stack
    ):
        return False
    armatures = armature_objects(evaluated)
    if not any(armature_of(one).animation_data is not None for one in armatures):
        return True
    if watched is not None and watched.are_as_before(armatures):
        return True
    same = _bones_signature(evaluated, signature_of_armature) == read_from.bones
    if watched is not None and same:
        watched.remember(armatures)
    return same


class WatchedBones:
    """The keyed and driven settings of a binding's bones, as they were when last known to be the binding's."""

    def __init__(self) -> None:
        self._animated: Hashable = None
        self._paths: tuple[tuple[str, ...], ...] = ()
        self._values: list[list[Hashable]] = []

    def are_as_before(self, armatures: Sequence[bpy.types.Object]) -> bool:
        """Whether nothing has changed since `remember`. armatures: evaluated."""
        return self._animated == self._animation_of(armatures) and self._values == self._read(armatures)

    def remember(self, armatures: Sequence[bpy.types.Object]) -> None:
        """Remember what there is now. armatures: evaluated."""
        self._animated = self._animation_of(armatures)
        self._paths = tuple(animated_bone_settings(armature_of(one)) for one in armatures)
        self._values = self._read(armatures)

    def _animation_of(self, armatures: Sequence[bpy.types.Object]) -> Hashable:
        """What the paths were read from."""
        found = [(armature_of(one).session_uid, armature_of(one).animation_data) for one in armatures]
        return tuple(
            (uid, len(one.drivers), len(one.nla_tracks), one.action.session_uid if one.action else 0)
            for uid, one in found
            if one is not None
        )

    def _read(self, armatures: Sequence[bpy.types.Object]) -> list[list[Hashable]]:
        return [
            [_setting(armature_of(armature), path) for path in paths]
            for armature, paths in zip(armatures, self._paths, strict=False)
        ]


def _setting(armature: bpy.types.Armature, path: str) -> Hashable:
    try:
        value: Any = armature.path_resolve(path)
    except ValueError:
        return None  # Keys of a bone that is gone.
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


def _mesh_signature(
    mesh_object: bpy.types.Object, evaluated: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> Hashable:
    mesh = mesh_of(mesh_object)
    return (
        mesh.is_editmode,
        mesh.session_uid,
        tuple((modifier.type, modifier.name, modifier.show_viewport) for modifier in evaluated.modifiers),
        left_out_modifiers(mesh_object, depsgraph),
    )


def _stack_signature(mesh_object: bpy.types.Object, evaluated: bpy.types.Object) -> tuple[Hashable, ...]:
    return (
        identity(mesh_object),
        _parent_signature(evaluated),
        tuple(_modifier_signature(modifier) for modifier in evaluated.modifiers),
        tuple(mesh_object.vertex_groups.keys()),
    )


def _bones_signature(
    evaluated: bpy.types.Object, of_armature: Callable[[bpy.types.Object], tuple[Hashable, ...]]
) -> tuple[tuple[Hashable, ...], ...]:
    return tuple(of_armature(armature) for armature in dict.fromkeys(armature_objects(evaluated)))


def _parent_signature(evaluated: bpy.types.Object) -> Hashable:
    parent = evaluated.parent
    if parent is None:
        return None
    # These transform an object parented to a bone; all others are transformed by their matrix to the world.
    by_bone = evaluated.parent_type == "BONE"
    placed = (evaluated.matrix_basis, evaluated.matrix_parent_inverse) if by_bone else ()
    return (
        evaluated.parent_type,
        is_placed_by_bone(evaluated),
        parent.original.session_uid,
        evaluated.parent_bone,
        tuple(row_vectors(matrix).tobytes() for matrix in placed),
    )


def _modifier_signature(modifier: bpy.types.Modifier) -> Hashable:
    if not isinstance(modifier, bpy.types.ArmatureModifier):
        return (modifier.type, modifier.name, modifier.show_viewport)
    armature = modifier.object.original if modifier.object else None
    settings = tuple(getattr(modifier, name) for name in _ARMATURE_MODIFIER_SETTINGS)
    return (modifier.name, armature.session_uid if armature else None, *settings)


def signature_of_armature(armature: bpy.types.Object) -> tuple[Hashable, ...]:
    """Summarize the bones of an evaluated armature: their order, names, rest pose and deform settings."""
    bones, original = armature_of(armature).bones, armature.original
    settings = _settings_of_bones(bones, _BONE_SETTINGS)
    bends = bool((settings[_BONE_SETTINGS.index("bbone_segments")] > 1).any())
    return (
        identity(armature),
        original.session_uid,
        original.data.session_uid if original.data else None,
        tuple(bones.keys()),
        tuple(armature.pose.bones.keys()) if armature.pose else (),
        _settings_of_bones(bones, ("matrix_local",), 16).tobytes(),
        settings.tobytes(),
        _bending_signature(bones) if bends else None,
    )


def _bending_signature(bones: bpy.types.ArmatureBones) -> Hashable:
    choices = np.empty((len(_BENDING_CHOICES), len(bones)), dtype=np.int32)
    for row, name in zip(choices, _BENDING_CHOICES, strict=True):
        bones.foreach_get(name, row)
    # Automatic handles (0) use the connected neighbors, and ignore any custom handles.
    chosen = (bones[int(index)] for index in np.flatnonzero(choices[1:].any(axis=0)))
    handles = tuple(
        handle.name if handle else None
        for bone in chosen
        for handle in (bone.bbone_custom_handle_start, bone.bbone_custom_handle_end)
    )
    return (
        _settings_of_bones(bones, _BENDING_SETTINGS).tobytes(),
        _settings_of_bones(bones, _BENDING_TRIPLES, 3).tobytes(),
        choices.tobytes(),
        handles,
    )


def _settings_of_bones(
    bones: bpy.types.ArmatureBones, names: tuple[str, ...], size: int = 1
) -> NDArray[np.float32]:
    values = np.empty((len(names), len(bones) * size), dtype=np.float32)
    if len(bones):
        for row, name in zip(values, names, strict=True):
            bones.foreach_get(name, row)
    return values
