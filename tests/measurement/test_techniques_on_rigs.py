"""Every technique puts every vertex of a real character where the others do, and draws the same picture."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.binding import Binding
from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.skinning.mesh import DrawMesh
from skinning_addon.drawing.chain_cache import ChainCache
from skinning_addon.drawing.display_settings import DisplaySettings
from skinning_addon.drawing.off_screen import Picture
from skinning_addon.drawing.skinned_drawing import SkinnedDrawing
from skinning_addon.drawing.techniques import PARTITIONED, find_technique
from skinning_addon.measurement.pictures.camera import three_quarter_camera
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame import Frame
from skinning_addon.scene.binding.frame_reader import FrameReader
from skinning_addon.scene.meshes.mesh_contents import read_mesh_contents
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes, make_evaluable
from tests.core.engine_rules import RULES
from tests.scene.opened_rigs import open_rig

SAME = 1e-6
"""Relative to diagonal and displacement: the sums are of the same float32 products, in different orders."""

LIMITS = (26, 35, 60, 256)
WAYS = (
    ("uniform-buffer", 0),
    ("float-texture", 0),
    *((PARTITIONED, limit) for limit in LIMITS),
    ("four-matrices", 0),
    ("software", 0),
)
MOST_MESHES = 2
"""Per rig, under each of the profiles: parts of one character differ little."""

PIXELS = 400

MOST_OTHER_PIXELS = 1e-4
"""Share of all pixels: where faces cross, or end at an outline, rounding decides between two."""

pytestmark = [pytest.mark.gpu, pytest.mark.rigs, pytest.mark.usefixtures("gpu_device")]


def bound_meshes(rig: Path, profile_id: str) -> Iterator[tuple[Binding, Frame, DrawMesh]]:
    """Open a rig at a frame at which it moves, and bind its meshes as an engine has them."""
    open_rig(rig)
    scene, layer = bpy.context.scene, bpy.context.view_layer
    scene.frame_set(scene.frame_start + 12)
    profile = load_profile(profile_id)
    for mesh_object in deformed_meshes(scene):
        make_evaluable(mesh_object, scene, layer)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        contents = read_mesh_contents(mesh_object, for_drawing=True)
        binding = read_binding(mesh_object, depsgraph, contents, profile=profile)
        frame = FrameReader(binding).read(mesh_object, depsgraph, by_hierarchy=True)
        assert contents.drawn is not None
        yield binding, frame, contents.drawn


def check_probes(binding: Binding, frame: Frame) -> None:
    found, cache = {}, ChainCache(frame.chain)
    for name, limit in WAYS:
        prober = find_technique(name).probe(cache, binding.mesh, limit)
        found[name, limit] = prober.skin(frame.palettes).positions
        prober.free()
    exact = find_technique("software").probe(cache, binding.mesh, 0).skin(frame.palettes).positions
    moved = np.linalg.norm(exact - binding.mesh.positions, axis=1).max()
    every = np.stack(list(found.values()))
    apart = np.linalg.norm(every.max(axis=0) - every.min(axis=0), axis=1).max()
    assert apart <= SAME * (binding.mesh.diagonal + moved)


@pytest.mark.parametrize(
    "rig",
    [
        "Fox.glb",
        "m2m_bird.blend",
        "CesiumMan.glb",
        "SimpleSkin.gltf",
        "KayKit_Knight.glb",
        "assimp_animation_with_skeleton.fbx",
        "ufbx_maya_dq_weights.fbx",
    ],
)
@pytest.mark.parametrize("profile", RULES)
def test_probes_under_every_profile(rigs_folder: Path, rig: str, profile: str) -> None:
    for binding, frame, _ in islice(bound_meshes(rigs_folder / rig, profile), MOST_MESHES):
        check_probes(binding, frame)


@pytest.mark.parametrize("rig", ["mpfb_rigify_plain.blend", "mannequiny.glb", "raylib_robot.blend"])
@pytest.mark.parametrize("profile", ["blender", "threejs"])
def test_probes_of_larger_rigs(rigs_folder: Path, rig: str, profile: str) -> None:
    for binding, frame, _ in bound_meshes(rigs_folder / rig, profile):
        check_probes(binding, frame)


def test_probes_of_fifty_thousand_vertices(rigs_folder: Path) -> None:
    for binding, frame, _ in bound_meshes(rigs_folder / "mpfb_game_engine_53k.blend", "threejs"):
        check_probes(binding, frame)


def picture_of(drawing: SkinnedDrawing, frame: Frame, points: np.ndarray) -> np.ndarray:
    camera = three_quarter_camera(points, (PIXELS, PIXELS))
    picture = Picture(PIXELS, PIXELS)
    picture.fill((0.0, 0.0, 1.0, 1.0))
    with picture.drawing():
        drawing.draw(
            "shaded", camera.world_to_view, camera.view_to_clip, frame.mesh_to_world, DisplaySettings()
        )
    pixels = picture.pixels().astype(int)
    picture.free()
    return pixels


@pytest.mark.parametrize("rig", ["mpfb_rigify_plain.blend", "mannequiny.glb", "Fox.glb"])
def test_pictures(rigs_folder: Path, rig: str) -> None:
    ((binding, frame, drawn),) = bound_meshes(rigs_folder / rig, "blender")
    cache = ChainCache(frame.chain)
    skinned = find_technique("software").probe(cache, binding.mesh, 0).skin(frame.palettes).positions
    points = skinned @ frame.mesh_to_world[:3, :3] + frame.mesh_to_world[3, :3]
    pictures = {}
    for name, limit in (("automatic", 0), *WAYS):
        draw_calls = find_technique(name).draw_calls(cache, binding.mesh, drawn, limit)
        drawing = SkinnedDrawing(frame.chain, binding.mesh, drawn, draw_calls=draw_calls)
        drawing.update(frame.palettes)
        pictures[name, limit] = picture_of(drawing, frame, points)
        triangles = sum(size.triangles for size in drawing.sizes)
        assert triangles == len(binding.mesh.triangles)
        if name == PARTITIONED:
            groups = cache.groups(binding.mesh, limit).partition
            assert [size.triangles for size in drawing.sizes if not size.on_cpu] == [
                len(group.triangles) for group in groups.groups
            ]
            assert max(len(group.joints) for group in groups.groups) <= limit
        drawing.free()
    expected = pictures["automatic", 0]
    covered = (expected[..., :3] != (0, 0, 255)).any(axis=2)
    assert covered.mean() > 0.05
    for way, pixels in pictures.items():
        apart = np.abs(pixels - expected).max(axis=2) > 2
        assert apart.mean() <= MOST_OTHER_PIXELS, (way, apart.sum())
