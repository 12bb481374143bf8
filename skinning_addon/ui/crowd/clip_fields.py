"""The fields of the clips that a crowd's character plays."""

from __future__ import annotations

import bpy

from ...scene.identification import identity
from ...viewport.crowds.scene_crowd import SceneCrowd
from ..settings.crowd_settings import SKINSCOPE_PG_crowd, SKINSCOPE_PG_crowd_variant


def draw_clips(
    layout: bpy.types.UILayout, settings: SKINSCOPE_PG_crowd | SKINSCOPE_PG_crowd_variant, crowd: SceneCrowd
) -> None:
    """Draw clips by role; where none is named, what the crowd found for the character stands in the field."""
    clips = layout.column(align=True)
    variants = crowd.player.variants if crowd.player is not None else ()
    name = identity(settings.armature) if settings.armature is not None else ""
    character = next((one.character for one in variants if one.character.name == name), None)
    strides = character.strides if character is not None else (None,) * 3
    for role, stride in zip(("idle", "walk", "run"), strides, strict=True):
        found = stride.clip.name if stride is not None else ""
        clips.prop(settings, role, icon="ACTION", placeholder=found)
