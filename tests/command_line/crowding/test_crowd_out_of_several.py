"""`skinscope crowd --write` of several characters and variants: everybody is who they are, where they are, in all files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.command_line.conftest import Program
from tests.command_line.crowding.test_crowd_out import opened
from tests.command_line.crowding.two_walkers import two

__all__ = ["two"]

VARIANTS = """\
[[variant]]
share = 2
scale = [0.5, 0.9]
tint = [1.0, 0.0, 0.0]
without = ["Hat"]

[[variant]]
character = "Giant"

[[variant]]
character = "Walker"
"""
COUNT, FRAMES = 8, 9
TINTS = ([1, 0, 0, 1], [1, 1, 1, 1], [1, 1, 1, 1])


@pytest.fixture
def folder(two: Path, skinscope: Program) -> Path:
    path, out = two.parent / "variants.toml", two.parent / "out"
    path.write_text(VARIANTS, encoding="utf-8")
    options = ("--count", COUNT, "--seconds", 2, "--frames-per-second", 4, "--variants", path)
    result = skinscope("crowd", two, "--output", out, *options, "--write", "lines,texture,armatures,points")
    assert result.status == 0, result.complaints
    assert "texture/0/bone-texture.json, texture/1/bone-texture.json, crowd-armatures.blend" in result.output
    return out


def positions(folder: Path) -> np.ndarray:
    """Return where everybody is, (F, N, 3)."""
    with (folder / "positions.csv").open(encoding="utf-8") as stream:
        rows = [[float(one[axis]) for axis in "xyz"] for one in csv.DictReader(stream)]
    return np.array(rows).reshape(FRAMES, COUNT, 3)


def agents_of(folder: Path) -> list[dict]:
    return json.loads((folder / "events.json").read_text(encoding="utf-8"))["agents"]


@pytest.mark.gpu
def test_lines_name_each_agents_character_and_its_texture(folder: Path):
    head, *frames = map(json.loads, (folder / "crowd.jsonl").read_text(encoding="utf-8").splitlines())
    agents = agents_of(folder)
    assert [one["variant"] for one in head["agents"]] == [one["variant"] for one in agents]
    assert {one["variant"] for one in agents} == {0, 1, 2}
    assert [head["characters"][one["character"]]["name"] for one in head["agents"]] == [
        "Giant" if one["variant"] == 1 else "Walker" for one in agents
    ]
    for character in head["characters"]:
        manifest = folder / character["texture"] / "bone-texture.json"
        assert json.loads(manifest.read_text(encoding="utf-8"))["character"] == character["name"]
    assert [one["without"] for one in head["variants"]] == [["Hat"], [], []]
    rows = np.array([one["agents"] for one in frames])
    column = {name: number for number, name in enumerate(head["columns"])}
    x, y, z = np.moveaxis(rows[..., [column[axis] for axis in "xyz"]], -1, 0)
    np.testing.assert_allclose(np.stack((x, -z, y), axis=-1), positions(folder), atol=2e-6)
    scales = [one["scale"] for one in agents]
    np.testing.assert_allclose(rows[..., column["sy"]], np.tile(scales, (FRAMES, 1)), atol=2e-6)


@pytest.mark.gpu
def test_armatures_have_the_meshes_the_tint_and_the_size_of_their_variant(folder: Path):
    agents, places = agents_of(folder), positions(folder)
    scene = opened(folder / "crowd-armatures.blend")
    scene.frame_set(FRAMES)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    armatures = {int(one.name.split(".")[-1]): one for one in scene.objects if one.type == "ARMATURE"}
    assert sorted(armatures) == list(range(COUNT))
    for number, agent in enumerate(agents):
        armature = armatures[number]
        assert armature.name.startswith("Giant" if agent["variant"] == 1 else "Walker")
        meshes = [one for one in scene.objects if one.type == "MESH" and one.parent == armature]
        assert any(one.name.startswith("Hat") for one in meshes) == (agent["variant"] == 2)
        corners = []
        for one in meshes:
            assert list(one.color) == TINTS[agent["variant"]]
            evaluated = one.evaluated_get(depsgraph)
            corners += [(evaluated.matrix_world @ vertex.co)[:] for vertex in evaluated.data.vertices]
        low, high = np.min(corners, axis=0), np.max(corners, axis=0)
        # Giants are twice as tall as walkers of scale 1; a step lowers the head a little.
        height = 1.8 * (2 if agent["variant"] == 1 else agent["scale"])
        assert 0.9 * height < high[2] - low[2] < 1.1 * height
        assert np.linalg.norm((low + high)[:2] / 2 - places[-1, number, :2]) < 0.4 * height


@pytest.mark.gpu
def test_points_put_the_poses_of_their_variant_where_the_armatures_are(folder: Path):
    agents = agents_of(folder)
    scene = opened(folder / "crowd-armatures.blend")
    scene.frame_set(FRAMES)
    expected = {
        int(one.name.split(".")[-1]): np.array(one.matrix_world)
        for one in scene.objects
        if one.type == "ARMATURE"
    }
    scene = opened(folder / "crowd-points.blend")
    points = scene.objects["Crowd"].data.attributes
    now = np.array([one.value for one in points["frame"].data]) == FRAMES
    shown = {
        name: np.array([one.value for one in points[name].data])[now] for name in ("agent", "variant", "pose")
    }
    tints = np.array([one.color[:] for one in points["tint"].data])[now]
    assert sorted(shown["agent"].tolist()) == list(range(COUNT))
    scene.frame_set(FRAMES)
    found: dict[int, list[tuple[str, np.ndarray]]] = {}
    for one in bpy.context.evaluated_depsgraph_get().object_instances:
        if one.is_instance:
            name, pose = one.object.name.rsplit(".", 1)
            found.setdefault(int(pose), []).append((name, np.array(one.matrix_world)))
    for agent, variant, pose, tint in zip(*shown.values(), tints, strict=True):
        assert variant == agents[agent]["variant"]
        assert tint.tolist() == TINTS[variant]
        here = [name for name, place in found[pose] if np.abs(place - expected[agent]).max() < 1e-4]
        assert any(name.startswith("Hat") for name in here) == (variant == 2)
        assert len(here) == len(bpy.data.collections[f"pose.{pose:04d}"].objects) > 0
