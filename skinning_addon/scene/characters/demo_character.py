"""A rigged, weighted and animated human built without data files, for the demo and for tests on a real rig.

The rig is Rigify's human, generated as a rigger would; the body is built along the rig's bones and weighted by
Blender. Nothing in it is random: each Blender version always builds the same character.
"""

from __future__ import annotations

from typing import Any, cast

import bpy

from ...core.text.errors import SkinscopeError
from ..object_data import armature_of, mesh_of
from .demo_animation import animate
from .demo_body import grow_body

RIGIFY = "rigify"

RIGIFY_OPERATORS = cast("Any", bpy.ops)
"""Untyped, because the type checker doesn't know add-on operators."""


def build_demo_character() -> tuple[bpy.types.Object, bpy.types.Object]:
    """Build the character in the current scene; return its armature object and its mesh object.

    Sets the scene's frame range, rate and current frame to play the animation, and enables Rigify for this
    session. Takes about 15 seconds on one core, most of it for the rig's face.

    Raises:
        SkinscopeError: this Blender lacks Rigify, or can't weight the body.
    """
    metarig = _add_metarig()
    body = grow_body(metarig)
    armature = _generate_rig(metarig)
    bpy.data.objects.remove(metarig)
    _bind_with_automatic_weights(body, armature)
    # Exporters can't handle this, nor the bendy bones that Rigify creates.
    cast("bpy.types.ArmatureModifier", body.modifiers[0]).use_deform_preserve_volume = True
    animate(armature, bpy.context.scene)
    return armature, body


def _add_metarig() -> bpy.types.Object:
    try:
        # Not `addon_utils.enable`: Rigify looks itself up in the preferences while being enabled.
        bpy.ops.preferences.addon_enable(module=RIGIFY)
    except RuntimeError as error:
        raise SkinscopeError(
            "The demo needs the add-on Rigify, which this Blender does not include; use one that does."
        ) from error
    RIGIFY_OPERATORS.object.armature_human_metarig_add()
    return _active_object()


def _generate_rig(metarig: bpy.types.Object) -> bpy.types.Object:
    _select(metarig)
    RIGIFY_OPERATORS.pose.rigify_generate()
    armature = _active_object()
    armature.name = armature_of(armature).name = "Rig"
    return armature


def _active_object() -> bpy.types.Object:
    return cast("bpy.types.Object", bpy.context.view_layer.objects.active)


def _bind_with_automatic_weights(body: bpy.types.Object, armature: bpy.types.Object) -> None:
    _select(armature, body)
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    if not any(vertex.groups for vertex in mesh_of(body).vertices):
        raise SkinscopeError("Blender couldn't compute weights for the demo's body.")
    _select(body)


def _select(active: bpy.types.Object, *others: bpy.types.Object) -> None:
    for one in bpy.context.selected_objects:
        one.select_set(False)
    for one in (active, *others):
        one.select_set(True)
    bpy.context.view_layer.objects.active = active
