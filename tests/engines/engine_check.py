"""Checks that an engine loads what Blender exports, and puts every vertex where we predict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.profile import Profile
from skinning_addon.measurement.findings.import_findings import findings_of_import
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.meshes.mesh_contents import read_mesh_contents
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.engines.capture import Engine
from tests.engines.exported_rig import (
    Expected,
    export_animated,
    from_y_up,
    number_vertices,
    predict,
    seconds,
    start_clip,
)

SHARE_OF_DIAGONAL = 1e-5

RIGS = (
    "Fox.glb",
    "CesiumMan.glb",
    "KayKit_Knight.glb",
    "SimpleSkin.gltf",
    "mannequiny.glb",
    "m2m_bird.blend",
    "raylib_robot.blend",
    "mpfb_rigify_plain.blend",
    "mpfb_game_engine_53k.blend",
    "assimp_animation_with_skeleton.fbx",
    "ufbx_maya_dq_weights.fbx",
)


def sampled_at(profile: Profile, rate: float) -> Profile:
    """Return a profile whose importer samples animation at another rate, if it does at all."""
    if not profile.importer.samples_per_second:
        return profile
    return replace(profile, importer=replace(profile.importer, samples_per_second=rate))


def check_against(engine: Engine, folder: Path, profile: Profile, device: str, **options: object) -> Expected:
    """Compare the open scene's first clip; return the expected result. options: of the export."""
    expected, deviations = capture_of_scene(engine, folder, profile, device, **options)
    assert deviations.max() <= SHARE_OF_DIAGONAL
    return expected


def capture_of_scene(
    engine: Engine, folder: Path, profile: Profile, device: str, *, beyond: int = 0, **options: object
) -> tuple[Expected, np.ndarray]:
    """Capture the open scene's first clip; return the expected result, and (F,) how far the engine's is from it,
    as shares of the diagonal. beyond: frames to export after the last that is compared.
    """
    meshes, playback, frames = start_clip()
    expected = predict(meshes, playback, frames, profile, device)
    exported = number_vertices(meshes)
    exported_frames = (*frames, frames[-1] + beyond)
    export_animated(folder / "rig.glb", meshes, exported_frames, **options)
    positions, sources = engine.capture(folder / "rig.glb", [seconds(frame) for frame in frames], folder)
    assert np.array_equal(np.unique(sources), exported)
    deviations = expected.deviations(from_y_up(positions), sources)
    print(f"{profile.id}: {deviations.max():.2g} of the diagonal")
    return expected, deviations


def rules_of_scene(profile_id: str) -> set[str]:
    """Return the findings about how the profile's importer reads the open scene's meshes."""
    depsgraph, profile = bpy.context.evaluated_depsgraph_get(), load_profile(profile_id)
    return {
        finding.rule
        for mesh in deformed_meshes(bpy.context.scene)
        for finding in findings_of_import(
            mesh, bpy.context.scene, read_binding(mesh, depsgraph, read_mesh_contents(mesh)), profile
        )
    }
