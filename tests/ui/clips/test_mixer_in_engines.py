"""What the mixer plays in a preview is what engines play of the exported file, at and between frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.meshes.mesh_reader import read_draw_mesh
from skinning_addon.viewport.character.mesh_in_layer import MeshInLayer
from tests.command_line.rig_files import KEYED_FRAMES, animated_rig, without_flaws
from tests.engines.capture import Engine
from tests.engines.engine_table import ENGINES
from tests.engines.exported_rig import from_y_up, number_vertices
from tests.engines.godot_engine import GodotEngine
from tests.engines.python_engine import PythonEngine
from tests.engines.ufbx_judge import build_ufbx
from tests.scene.random_rig import RandomRig, RigOptions

pytestmark = [pytest.mark.engines, pytest.mark.gpu, pytest.mark.usefixtures("gpu_device")]

FPS = 24

MOMENTS = 29
"""At and between frames."""

SHEARED = RigOptions(seed=1, influences=4)
"""Unevenly scaled bones, whose children are sheared: a file holds another pose."""

SPARSE = {"export_frame_step": 3}
FLAT = {"export_hierarchy_flatten_bones": True}
CURVES = {"export_force_sampling": False}
DEFORM = {"export_def_bones": True}

CASES: dict[str, tuple[str, Mapping[str, object], float]] = {
    "three.js": ("threejs", {}, 1e-6),
    "three.js, every third frame": ("threejs", SPARSE, 1e-6),
    "three.js, flattened": ("threejs", {**DEFORM, **FLAT}, 1e-6),
    "three.js, flattened, every third frame": ("threejs", {**DEFORM, **FLAT, **SPARSE}, 1e-6),
    "three.js, deforming bones": ("threejs", {**DEFORM, **SPARSE}, 1e-6),
    "three.js, without sampling": ("threejs", CURVES, 1e-2),
    "Babylon.js, every third frame": ("babylonjs", SPARSE, 1e-6),
    "PlayCanvas": ("playcanvas", {}, 1e-3),
    "PlayCanvas, every third frame": ("playcanvas", SPARSE, 1e-3),
    "Godot": ("godot4", {}, 2e-5),
    "Godot, every third frame": ("godot4", SPARSE, 2e-5),
    "raylib": ("raylib", {}, 5e-2),
    "Panda3D": ("panda3d", {}, 3e-2),
}
"""Each with the profile, the exporter's settings, and the tolerance as a share of the diagonal: small, but for
splines, which clips have as lines, and for engines that turn along the chord (PlayCanvas), or interpolate bones relative to the armature (raylib) or as
matrices (Panda3D), which clips don't. At keys and samples all are within `AT_KEYS`.
"""

AT_KEYS = 2e-5


def engine_of(name: str) -> Engine:
    """Return an engine that samples animation as often as it does by default."""
    engine = ENGINES[name]
    if isinstance(engine, GodotEngine):
        engine = GodotEngine()
    if name == "panda3d" and isinstance(engine, PythonEngine):
        engine = replace(engine, arguments=("30",))
    engine.install()
    return engine


def build() -> RandomRig:
    rig = animated_rig(SHEARED)
    without_flaws(rig)
    rig.mesh.parent = rig.armature
    bpy.context.scene.render.fps = FPS
    # One that carries others and is left out of a file that has deforming bones alone.
    rig.armature.data.bones[1].use_deform = False
    return rig


def played(session, rig: RandomRig) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what a preview shows of the mixer, (F, V, 3) in world space, the times in the file, and which of
    them have a key.
    """
    bpy.context.view_layer.objects.active = rig.armature
    bpy.ops.skinscope.clips_refresh()
    bpy.ops.skinscope.mixer_play()
    player, depsgraph = session.players.of(rig.armature), bpy.context.evaluated_depsgraph_get()
    binding = read_binding(rig.mesh, depsgraph, profile=session.profile_in(depsgraph))
    live = MeshInLayer(binding, read_draw_mesh(rig.mesh.data))
    skinner = SoftwareSkinner(binding.passes, binding.mesh)
    to_world = np.array(rig.mesh.matrix_world).T
    positions = []
    clip = player.controller.clips[0]
    assert clip.start == KEYED_FRAMES[0]
    # At its very end, a loop begins again.
    keys = (clip.times - clip.start) / FPS
    seconds = np.minimum(np.union1d(np.linspace(0, clip.duration, MOMENTS), keys), clip.duration - 1e-7)
    for number, one in enumerate(seconds.tolist()):
        player.controller.set_track(0, "Sway", position=one)
        player.pose()
        frame = live.follow(number, rig.mesh, depsgraph, session.players.poses())
        shown = skinner.skin(frame.palettes).positions
        positions.append(shown @ to_world[:3, :3] + to_world[3, :3])
    live.free()
    return (
        np.array(positions),
        clip.start / FPS + seconds,
        np.isclose(seconds[:, None], keys, atol=1e-6).any(axis=1),
    )


@pytest.mark.parametrize("case", CASES)
def test_the_mixer_plays_what_the_engine_plays(session, tmp_path: Path, case: str):
    name, settings, tolerance = CASES[case]
    engine = engine_of(name)
    rig = build()
    profiles = bpy.context.scene.skinscope.profiles
    profiles.profile, profiles.exporter.use_own = name, True
    for setting, value in settings.items():
        setattr(profiles.exporter, setting, value)
    ours, times, have_key = played(session, rig)
    number_vertices([rig.mesh])
    bpy.ops.export_scene.gltf(
        filepath=str(tmp_path / "rig.glb"),
        export_attributes=True,
        export_materials="NONE",
        export_optimize_animation_size=False,
        **settings,
    )
    positions, sources = engine.capture(tmp_path / "rig.glb", times.tolist(), tmp_path)
    diagonal = np.linalg.norm(np.ptp(ours[0], axis=0))
    off = np.linalg.norm(from_y_up(positions) - ours[:, sources], axis=2).max(axis=1) / diagonal
    assert off.max() <= tolerance
    # What an importer samples begins before the clip.
    assert off[have_key][1:].max() <= AT_KEYS


@pytest.mark.parametrize("simplify", [0.0, 1.0, 5.0])
def test_the_mixer_plays_what_an_fbx_file_holds(session, tmp_path: Path, simplify: float):
    rig = build()
    profiles = bpy.context.scene.skinscope.profiles
    profiles.profile, profiles.exporter.use_own = "unity-unlimited", True
    profiles.exporter.bake_anim_simplify_factor = simplify
    ours, times, have_key = played(session, rig)
    path = tmp_path / "rig.fbx"
    bpy.ops.export_scene.fbx(filepath=str(path), bake_anim_simplify_factor=simplify)
    ufbx = build_ufbx(tmp_path)
    # An action's animation begins at zero.
    captured = ufbx.capture(path, (times - times[0]).tolist(), tmp_path, ufbx.stacks(path)[0])
    diagonal = np.linalg.norm(np.ptp(ours[0], axis=0))
    off = np.linalg.norm(captured.positions[rig.mesh.name] - ours, axis=2).max(axis=1) / diagonal
    assert off[have_key].max() <= AT_KEYS
    # Between frames the file has angles, of which engines make turns.
    assert off.max() <= 3e-2
