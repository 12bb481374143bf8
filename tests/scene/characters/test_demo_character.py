"""The demo character: a human that every Blender builds identically."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.scene.characters.demo_character import build_demo_character
from skinning_addon.scene.clips.clips import list_clips
from skinning_addon.scene.clips.playback import ScenePlayback, what_plays
from skinning_addon.scene.files import open_file


@dataclass(frozen=True)
class Character:
    armature: bpy.types.Object
    body: bpy.types.Object

    def positions(self, frame: int) -> np.ndarray:
        """Blender's own deformed body, (V, 3)."""
        bpy.context.scene.frame_set(frame)
        mesh = self.body.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        positions = np.empty((len(mesh.vertices), 3), dtype=np.float32)
        mesh.vertices.foreach_get("co", positions.reshape(-1))
        return positions

    def bend(self, bone: str, other: str, frame: int) -> float:
        """Degrees between the directions of two bones, more than in rest."""
        bpy.context.scene.frame_set(frame)
        posed = self.armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        rest = self.armature.data.bones
        angle = (posed[bone].y_axis).angle(posed[other].y_axis)
        return float(np.degrees(angle - rest[bone].y_axis.angle(rest[other].y_axis)))


@pytest.fixture
def character(demo_file: Path) -> Character:
    open_file(demo_file)
    return Character(bpy.data.objects["Rig"], bpy.data.objects["Body"])


def test_it_is_a_weighted_human(character: Character):
    body, armature = character.body, character.armature
    assert 7000 <= len(body.data.vertices) <= 8200
    low, high = np.array(body.bound_box).min(axis=0), np.array(body.bound_box).max(axis=0)
    assert high - low == pytest.approx([1.6, 0.3, 2.0], abs=0.1)
    assert low[2] == pytest.approx(0, abs=0.02)
    assert [modifier.type for modifier in body.modifiers] == ["ARMATURE"]
    assert body.modifiers[0].object == armature
    assert body.modifiers[0].use_deform_preserve_volume
    assert all(sum(group.weight for group in vertex.groups) > 0.5 for vertex in body.data.vertices)
    assert all(polygon.use_smooth for polygon in body.data.polygons)
    assert sum(bone.use_deform for bone in armature.data.bones) >= 150
    assert sum(bone.bbone_segments > 1 for bone in armature.data.bones) == 52


def test_the_body_is_one_closed_surface(character: Character):
    mesh = character.body.data
    edges = np.empty((len(mesh.edges), 2), dtype=np.int64)
    mesh.edges.foreach_get("vertices", edges.reshape(-1))
    corners = np.empty(len(mesh.loops), dtype=np.int64)
    mesh.loops.foreach_get("edge_index", corners)
    assert set(np.bincount(corners, minlength=len(edges))) == {2}
    reached = np.arange(len(mesh.vertices))
    while True:
        lower = reached.copy()
        np.minimum.at(lower, edges[:, 0], reached[edges[:, 1]])
        np.minimum.at(lower, edges[:, 1], reached[edges[:, 0]])
        if np.array_equal(lower, reached):
            break
        reached = lower[lower]
    assert not reached.any()


def test_it_plays_an_animation_that_bends_all_joints(character: Character):
    scene = bpy.context.scene
    assert (scene.frame_start, scene.frame_end, scene.frame_current) == (1, 40, 1)
    assert what_plays(scene, [character.armature]) == [ScenePlayback(1, 40)]
    assert [clip.name for clip in list_clips(scene)] == ["Stretch, step and wave"]
    rest = np.empty((len(character.body.data.vertices), 3), dtype=np.float32)
    character.body.data.vertices.foreach_get("co", rest.reshape(-1))
    assert character.positions(1) == pytest.approx(rest, abs=1e-4)
    assert np.linalg.norm(character.positions(22) - rest, axis=1).max() > 0.5
    for bone, other in (
        ("DEF-upper_arm.L.001", "DEF-forearm.L"),
        ("DEF-upper_arm.R.001", "DEF-forearm.R"),
        ("DEF-thigh.L.001", "DEF-shin.L"),
        ("DEF-f_index.01.R", "DEF-f_index.03.R"),
        ("DEF-spine.001", "DEF-spine.003"),
    ):
        assert max(abs(character.bend(bone, other, frame)) for frame in (11, 22)) > 5, (bone, other)


def test_it_is_built_alike_every_time(character: Character):
    first = character.positions(22)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    second = Character(*build_demo_character()).positions(22)
    assert np.array_equal(first, second)


def test_rigify_missing_is_named(monkeypatch: pytest.MonkeyPatch):
    from skinning_addon.core.text.errors import SkinscopeError
    from skinning_addon.scene.characters import demo_character

    monkeypatch.setattr(demo_character, "RIGIFY", "no_such_add_on")
    with pytest.raises(SkinscopeError, match="Rigify"):
        build_demo_character()
