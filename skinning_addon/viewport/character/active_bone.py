"""The bone that the user works on, among those that deform a previewed mesh."""

from __future__ import annotations

import bpy

from ...core.profiles.binding import Binding
from ...scene.identification import identity
from ...scene.object_data import armature_of
from ...scene.objects.modifier_stack import armature_objects


def active_bone(mesh_object: bpy.types.Object, binding: Binding) -> tuple[str, int] | None:
    """Return the active bone of the first armature that has one, as (armature object, bone index)."""
    for armature in armature_objects(mesh_object):
        active = armature_of(armature).bones.active
        skeleton = binding.skeletons.get(identity(armature))
        if active is not None and skeleton is not None and active.name in skeleton.names:
            return identity(armature), skeleton.index(active.name)
    return None
