"""What the GPU makes of remembered frames, read back: Blender's own mesh, on every rig and clip."""

from __future__ import annotations

import os
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.drawing.palette_buffer import palette_buffer
from skinning_addon.drawing.probe import GpuSkinner
from skinning_addon.drawing.storage import Storage
from skinning_addon.scene.clips.clips import list_clips
from skinning_addon.scene.clips.playback import play_clip
from skinning_addon.viewport.cached.posed_mesh import PosedMesh
from tests.scene.opened_rigs import open_rig
from tests.viewport.cached.recorded import FRAMES, blenders

pytestmark = pytest.mark.gpu

EXACT = 1e-5
AT_MOST = 4
"""Frames of a clip, and clips of a rig unless SKINSCOPE_EVERY_CLIP is set."""

RIGS = {
    "CesiumMan.glb": 1,
    "Fox.glb": 3,
    "KayKit_Knight.glb": 76,
    "mannequiny.glb": 10,
    "mpfb_rigify_plain.blend": 2,
    "raylib_robot.blend": 14,
}


class RowsProbe:
    """Skins a mesh on the GPU with rows as they were remembered."""

    def __init__(self, mesh: PosedMesh) -> None:
        binding = mesh._bound.binding
        made = []

        def palette(layout):
            buffer = palette_buffer(layout)
            # Poses come as rows.
            buffer.upload = lambda _palettes: None
            made.append(buffer)
            return buffer

        self._skinner = GpuSkinner(binding.passes, binding.mesh, storage=Storage(palette))
        self._buffer = made[0]

    def positions(self, rows: np.ndarray) -> np.ndarray:
        self._buffer.upload_rows(rows)
        return self._skinner.skin(()).positions

    def free(self) -> None:
        self._skinner.free()


def farthest(mode) -> tuple[int, float]:
    """Compare every known frame of poses; return how many there are, and the largest share of a mesh's size by which
    any vertex is off.
    """
    scene = bpy.context.scene
    count, worst = 0, 0.0
    for group in mode.cached.cache.groups:
        for mesh in mode.cached.cache.meshes_of(group):
            if not isinstance(mesh, PosedMesh):
                continue
            body = next(one for one in scene.objects if one.session_uid == mesh.uid)
            probe = RowsProbe(mesh)
            for frame, known in list(mesh.frames.items()):
                scene.frame_set(int(frame))
                expected = blenders(body)
                size = float(np.linalg.norm(np.ptp(expected, axis=0)))
                worst = max(worst, float(np.abs(probe.positions(known.rows) - expected).max()) / size)
                count += 1
            probe.free()
    return count, worst


@pytest.mark.parametrize("setting", ["plain", "Preserve Volume", "bendy"])
def test_frames_of_every_blend_are_blenders(mode, rig, setting):
    armature, body = rig
    if setting == "Preserve Volume":
        body.modifiers["Armature"].use_deform_preserve_volume = True
    elif setting == "bendy":
        armature.data.bones["upper"].bbone_segments = 6
    bpy.context.view_layer.update()
    mode.record()
    assert mode.cached.cache.by_vertices == ()
    count, worst = farthest(mode)
    assert count == FRAMES
    assert worst <= EXACT


@pytest.mark.rigs
@pytest.mark.parametrize("name", RIGS)
def test_frames_of_rigs_are_blenders(mode, rigs_folder: Path, name: str):
    open_rig(rigs_folder / name)
    mode.listen()
    scene = bpy.context.scene
    clips = list_clips(scene)
    assert len(clips) == RIGS[name]
    if not os.environ.get("SKINSCOPE_EVERY_CLIP"):
        clips = [clips[round(at)] for at in np.linspace(0, len(clips) - 1, min(AT_MOST, len(clips)))]
    for clip in clips:
        play_clip(scene, clip)
        scene.frame_start = int(clip.frame_start)
        scene.frame_end = int(min(clip.frame_end, clip.frame_start + AT_MOST - 1))
        scene.frame_set(scene.frame_start)
        bpy.context.view_layer.update()
        mode.cached.cache.forget_all()
        mode.record()
        assert mode.cached.cache.groups, mode.cached.cache.kept
        count, worst = farthest(mode)
        assert count >= scene.frame_end - scene.frame_start + 1
        assert worst <= EXACT
