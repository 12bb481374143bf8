"""What fixes print, and previews show, of meshes that move relative to their armatures, judged by the file."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.measurement.profiles.fix_measurement import FixMeasurement
from skinning_addon.scene.clips.playback import ScenePlayback
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from skinning_addon.viewport.character.preview import Preview
from skinning_addon.viewport.character.stale import Stale
from tests.engines.exported_fbx import EVERY_KEY, fbx_chain, in_order
from tests.engines.exported_rig import seconds
from tests.engines.held_meshes import AS_A_SCENE, METRES, previewed, written_positions
from tests.engines.moving_meshes import FRAMES, MOVES, SHOWN, arm
from tests.engines.partly_keyed import world_positions
from tests.engines.ufbx_judge import Ufbx

MOVES_OR_NOT = {**MOVES, "still": lambda *_: None}

SPARSE = {**AS_A_SCENE, "export_frame_step": 5}
"""A key at every fifth frame."""


@pytest.mark.parametrize(("name", "chosen"), [*((one, AS_A_SCENE) for one in MOVES), ("still", SPARSE)])
def test_a_fix_counts_from_what_the_file_plays(tmp_path: Path, name: str, chosen: dict[str, object]):
    arm(MOVES_OR_NOT[name])
    (mesh,) = deformed_meshes(bpy.context.scene)
    written = written_positions(tmp_path, mesh, **chosen)
    authored = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        authored.append(world_positions(mesh))
    arm(MOVES_OR_NOT[name])
    scene = bpy.context.scene
    (mesh,) = deformed_meshes(scene)
    profile = exported_so(load_profile("threejs"), chosen)
    measured = FixMeasurement(scene, mesh, profile, [ScenePlayback(FRAMES[0], FRAMES[-1])])
    off = np.linalg.norm(written - np.array(authored), axis=2).max()
    assert measured.before == pytest.approx(off, abs=METRES)
    assert scene.frame_current == SHOWN


@pytest.mark.engines
@pytest.mark.processes
def test_after_a_check_a_preview_shows_the_file_of_the_checked_frame(ufbx: Ufbx, tmp_path: Path):
    """An FBX file has the mesh where it is at the frame of the export."""
    arm(MOVES["keyed"])
    scene = bpy.context.scene
    (mesh,) = deformed_meshes(scene)
    chosen = {"bake_anim_use_nla_strips": False, "bake_anim_use_all_actions": False, **EVERY_KEY}
    bpy.ops.export_scene.fbx(filepath=str(tmp_path / "arm.fbx"), **chosen)
    captured = ufbx.capture(tmp_path / "arm.fbx", [seconds(frame) for frame in FRAMES], tmp_path)
    preview = Preview(mesh, bpy.context.evaluated_depsgraph_get(), exported_so(fbx_chain(), chosen))
    preview.held.export_at(float(SHOWN))
    assert preview.held.due is not None
    preview.held.read(scene, mesh, preview.binding)
    for frame, written in zip(FRAMES, in_order(captured, [mesh]), strict=True):
        scene.frame_set(frame)
        preview.mark(Stale.POSE)
        assert np.linalg.norm(previewed(preview, mesh) - written, axis=1).max() <= METRES
