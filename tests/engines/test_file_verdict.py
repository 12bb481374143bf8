"""What `check-file` measures in a file agrees with three.js."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.measurement.exported.file_check import FileCheckSettings, check_file
from skinning_addon.measurement.exported.opened_file import opener_of
from skinning_addon.scene.clips.playback import set_frame
from tests.engines.engine_check import SHARE_OF_DIAGONAL
from tests.engines.exported_rig import export_animated, from_y_up, number_vertices, seconds, start_clip
from tests.engines.node_engine import NodeEngine
from tests.scene.opened_rigs import open_rig

pytestmark = [pytest.mark.engines, pytest.mark.rigs]


def world_positions(meshes: list[bpy.types.Object], frame: float) -> np.ndarray:
    """Return (V, 3) world positions of Blender's evaluated meshes, one after the other."""
    set_frame(bpy.context.scene, frame)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    parts = []
    for one in meshes:
        evaluated = one.evaluated_get(depsgraph)
        positions = np.empty((len(evaluated.data.vertices), 3), dtype=np.float32)
        evaluated.data.vertices.foreach_get("co", positions.reshape(-1))
        matrix = np.array(evaluated.matrix_world, dtype=np.float64).T
        parts.append(positions @ matrix[:3, :3] + matrix[3, :3])
    return np.concatenate(parts)


@pytest.mark.parametrize(
    ("rig", "least"),
    [
        ("m2m_bird.blend", 1e-3),
        ("raylib_robot.blend", 1e-4),
        ("mpfb_rigify_plain.blend", 0.1),
        ("Fox.glb", 0),
    ],
)
def test_the_deviation_is_the_engines(
    rigs_folder: Path, tmp_path: Path, threejs: NodeEngine, rig: str, least: float
):
    open_rig(rigs_folder / rig)
    meshes, _, frames = start_clip()
    number_vertices(meshes)
    export_animated(tmp_path / "rig.glb", meshes, frames)
    blender = np.array([world_positions(meshes, frame) for frame in frames])
    posed, sources = threejs.capture(tmp_path / "rig.glb", [seconds(frame) for frame in frames], tmp_path)
    engine = float(np.linalg.norm(from_y_up(posed) - blender[:, sources], axis=2).max())
    settings = FileCheckSettings(frames=(frames[0], frames[-1], frames[1] - frames[0]))
    verdict = check_file(bpy.context.scene, "rig.glb", opener_of(str(tmp_path / "rig.glb")), settings)
    diagonal = float(np.linalg.norm(np.ptp(blender[0], axis=0)))
    measured = max(one.worst.max for one in verdict.report.meshes)
    print(f"{rig}: the file {measured:.6g}, three.js {engine:.6g}")
    assert measured / diagonal >= least
    assert abs(measured - engine) <= SHARE_OF_DIAGONAL * diagonal
