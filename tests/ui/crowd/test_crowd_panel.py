"""What the panel of a crowd says."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import bpy
import pytest

from skinning_addon.scene.identification import identity
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


def placeholders(settings: object, *variants: SimpleNamespace) -> list[str]:
    """What stands in the empty fields of the clips to idle, walk and run."""
    drawn: dict[str, str] = {}
    column = SimpleNamespace(prop=lambda _of, name, **shown: drawn.update({name: shown["placeholder"]}))
    layout = cast("bpy.types.UILayout", SimpleNamespace(column=lambda **_: column))
    player = SimpleNamespace(variants=variants) if variants else None
    draw_clips(layout, cast("Any", settings), cast("SceneCrowd", SimpleNamespace(player=player)))
    return [drawn[one] for one in ("idle", "walk", "run")]


def test_what_was_found_for_each_character_stands_in_its_own_fields():
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    settings = bpy.context.scene.skinscope.crowd
    fox, knight = (bpy.data.objects.new(one, bpy.data.armatures.new(one)) for one in ("Fox", "Knight"))
    settings.armature = fox
    other = settings.variants.add()
    other.armature = knight
    variants = character("Fox", "Survey", "Walk", "Run"), character("Knight", "Idle", "Walking", "Running")
    assert placeholders(settings, *variants) == ["Survey", "Walk", "Run"]
    assert placeholders(other, *variants) == ["Idle", "Walking", "Running"]
    assert placeholders(other) == ["", "", ""]


def test_what_was_found_for_a_linked_character_stands_in_its_fields(tmp_path: Path):
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    fox = bpy.data.objects.new("Fox", bpy.data.armatures.new("Fox"))
    bpy.data.libraries.write(str(tmp_path / "fox.blend"), {fox})
    with bpy.data.libraries.load(str(tmp_path / "fox.blend"), link=True) as (_, wanted):
        wanted.objects = ["Fox"]
    (linked,) = wanted.objects
    settings = bpy.context.scene.skinscope.crowd
    settings.armature = linked
    found = character("Fox", "Survey", "Walk", "Run"), character(identity(linked), "Idle", "Trot", "Gallop")
    assert placeholders(settings, *found) == ["Idle", "Trot", "Gallop"]
