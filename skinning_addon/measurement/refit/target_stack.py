"""What of a mesh's modifiers a fit takes into the weights, and what stays on a copy.

Weights can only say where the mesh's own vertices go. Modifiers behind the armature that add or remove vertices
stay; those that move vertices are taken into the fit, whatever they do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from ...core.text.errors import BindingError
from ...scene.identification import identity
from ...scene.meshes.blender_result import evaluated_mesh
from ...scene.object_data import mesh_of
from ...scene.objects.animated_settings import modifiers_after_armatures, stop_switching
from ...scene.objects.modifier_stack import DEFORMING_TYPES

NEVER_TAKEN = frozenset({"SUBSURF", "MULTIRES"})
"""Modifiers that move the mesh's own vertices, but only as far as they smooth what they add."""


def switch_off_what_stays(mesh_object: bpy.types.Object) -> frozenset[str]:
    """Switch off the modifiers behind the armature that a copy keeps, and return the names of the others, which
    are taken into the fit. For files opened to be measured.

    Raises:
        BindingError: the stack changes the number of vertices before the armature.
    """
    behind = list(modifiers_after_armatures(mesh_object))
    for modifier in behind:
        if modifier.type in NEVER_TAKEN or (
            modifier.type not in DEFORMING_TYPES and not _keeps_vertices(mesh_object, modifier)
        ):
            stop_switching(mesh_object, modifier)
            modifier.show_viewport = False
    bpy.context.view_layer.update()
    _refuse_other_vertices(mesh_object)
    return frozenset(modifier.name for modifier in behind if modifier.show_viewport)


@contextmanager
def _only(mesh_object: bpy.types.Object, last: bpy.types.Modifier) -> Iterator[None]:
    """Evaluate the stack up to and without, then with, a modifier: later ones are off meanwhile."""
    later = list(mesh_object.modifiers)[list(mesh_object.modifiers).index(last) + 1 :]
    shown = [one.show_viewport for one in later]
    for one in later:
        one.show_viewport = False
    try:
        yield
    finally:
        for one, was in zip(later, shown, strict=True):
            one.show_viewport = was


def _keeps_vertices(mesh_object: bpy.types.Object, modifier: bpy.types.Modifier) -> bool:
    with _only(mesh_object, modifier):
        counts = []
        for shown in (False, True):
            modifier.show_viewport = shown
            bpy.context.view_layer.update()
            counts.append(len(evaluated_mesh(mesh_object, bpy.context.evaluated_depsgraph_get()).vertices))
    return counts[0] == counts[1]


def _refuse_other_vertices(mesh_object: bpy.types.Object) -> None:
    own = len(mesh_of(mesh_object).vertices)
    found = len(evaluated_mesh(mesh_object, bpy.context.evaluated_depsgraph_get()).vertices)
    if own != found:
        raise BindingError(
            "A modifier before the armature makes {found} vertices of the {own} of '{mesh}', and weights "
            "are for its own vertices; apply that modifier first.",
            mesh=identity(mesh_object),
            found=found,
            own=own,
        )
