"""What the panel of a crowd says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import bpy
import pytest

from skinning_addon.ui.crowd.crowd_panel import state_of
from skinning_addon.viewport.crowds.scene_crowd import SceneCrowd

pytestmark = pytest.mark.usefixtures("session")

PLAYS = cast("SceneCrowd", SimpleNamespace(error="", player=object(), is_of=lambda _scene: True, behind=True))


@pytest.mark.parametrize("kind", ["armature", "ground"])
def test_what_is_deleted_while_the_crowd_plays_is_named_until_undo_brings_it_back(kind: str):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene, settings = bpy.context.scene, bpy.context.scene.skinscope.crowd
    data = bpy.data.armatures.new("Fox") if kind == "armature" else bpy.data.meshes.new("Hill")
    one = bpy.data.objects.new(data.name, data)
    scene.collection.objects.link(one)
    settings.is_on = True
    setattr(settings, kind, one)
    there = state_of(PLAYS, settings, bpy.context)
    scene.collection.objects.unlink(one)
    gone = state_of(PLAYS, settings, bpy.context)
    assert str(gone) == f"'{data.name}' is not in this scene any more; the crowd goes on as it was read"
    scene.collection.objects.link(one)
    assert str(state_of(PLAYS, settings, bpy.context)) == str(there) == "On the way to this frame"
