"""What the panel of a crowd says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import bpy
import pytest

from skinning_addon.ui.crowd.clip_fields import draw_clips
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


def character(name: str, *clips: str) -> SimpleNamespace:
    strides = tuple(SimpleNamespace(clip=SimpleNamespace(name=one)) for one in clips)
    return SimpleNamespace(character=SimpleNamespace(name=name, strides=strides))


def test_what_was_found_for_each_character_stands_in_its_own_fields():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    settings = bpy.context.scene.skinscope.crowd
    fox, knight = (bpy.data.objects.new(one, bpy.data.armatures.new(one)) for one in ("Fox", "Knight"))
    settings.armature = fox
    other = settings.variants.add()
    other.armature = knight
    variants = [character("Fox", "Survey", "Walk", "Run"), character("Knight", "Idle", "Walking", "Running")]
    crowd = cast("SceneCrowd", SimpleNamespace(player=SimpleNamespace(variants=variants)))
    drawn: list[tuple[str, str]] = []
    column = SimpleNamespace(prop=lambda _of, name, **shown: drawn.append((name, shown["placeholder"])))
    layout = cast("bpy.types.UILayout", SimpleNamespace(column=lambda **_: column))
    draw_clips(layout, settings, crowd)
    draw_clips(layout, other, crowd)
    assert drawn == [
        ("idle", "Survey"), ("walk", "Walk"), ("run", "Run"),
        ("idle", "Idle"), ("walk", "Walking"), ("run", "Running"),
    ]  # fmt: skip
    drawn.clear()
    draw_clips(layout, other, cast("SceneCrowd", SimpleNamespace(player=None)))
    assert drawn == [("idle", ""), ("walk", ""), ("run", "")]
