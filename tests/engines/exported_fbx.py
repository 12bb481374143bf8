"""A character exported by Blender's own FBX exporter, for comparison with our prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.export_options import FbxOptions
from skinning_addon.core.profiles.profile import Importer, Profile, Shader
from tests.engines.exported_rig import Expected, predict, seconds, start_clip
from tests.engines.ufbx_judge import FbxCapture, Ufbx

EVERY_KEY = {"bake_anim_simplify_factor": 0.0}


def fbx_chain(*, deform_bones_only: bool = False) -> Profile:
    """Return the chain to the file and into a reader that takes all influences and divides by their sum."""
    unity = load_profile("unity-unlimited")
    exporter = replace(unity.exporter, deform_bones_only=deform_bones_only)
    return replace(unity, exporter=exporter, importer=Importer(), shader=Shader())


def export_fbx(path: Path, frames: tuple[int, ...], **options: object) -> None:
    """Export the scene as it plays over these frames."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = frames[0], frames[-1]
    scene.frame_set(frames[0])
    settings = {"bake_anim_use_nla_strips": False, "bake_anim_use_all_actions": False, **options}
    bpy.ops.export_scene.fbx(filepath=str(path), **settings)


def check_against_ufbx(
    ufbx: Ufbx, folder: Path, profile: Profile, tolerance: float, scale: float = 1.0, **options: object
) -> tuple[Expected, FbxCapture]:
    """Compare the open scene's first clip, exported with these options, with what ufbx makes of the file.

    scale: of the file's world. Returns the expected result and what ufbx captured.
    """
    meshes, playback, frames = start_clip()
    kept = options_of(options)
    thinned = kept.simplify_factor > 0 or kept.step != 1
    whole = (round(playback.frame_start), round(playback.frame_end)) if thinned else frames
    bpy.context.scene.frame_set(whole[0])
    expected = predict(meshes, playback, frames, profile, "cpu", exported_with=kept)
    export_fbx(folder / "rig.fbx", whole, **options)
    captured = ufbx.capture(folder / "rig.fbx", [seconds(frame) for frame in frames], folder)
    positions = in_order(captured, meshes) / scale
    deviations = expected.deviations(positions, np.arange(positions.shape[1]))
    from_blender = expected.deviations_from_blender.max()
    print(f"{profile.id}: {deviations.max():.2g} of the diagonal, {from_blender:.2g} from Blender")
    assert deviations.max() <= tolerance
    return expected, captured


def options_of(settings: Mapping[str, object]) -> FbxOptions:
    """Return the exporter's settings that a profile needs."""
    simplify = settings.get("bake_anim_simplify_factor", 1.0)
    step = settings.get("bake_anim_step", 1.0)
    assert isinstance(simplify, float)
    assert isinstance(step, float)
    return FbxOptions(use_nla_strips=False, use_all_actions=False, simplify_factor=simplify, step=step)


def in_order(captured: FbxCapture, meshes: Sequence[bpy.types.Object]) -> np.ndarray:
    """Return (F, V, 3), the captured positions of all meshes, one after the other."""
    return np.concatenate([captured.positions[one.name] for one in meshes], axis=1)
