"""What is kept of a frame while Blender plays, and what is left for later."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.viewport.cached import posed_mesh
from skinning_addon.viewport.cached.kept_pose import KeptPose
from tests.viewport.cached.recorded import FRAMES, Mode, assert_known_frames_are_blenders


def kept_poses(mode: Mode) -> dict[float, KeptPose]:
    """Return the frames of which palettes are still to be computed."""
    (group,) = mode.cached.cache.groups
    (mesh,) = mode.cached.cache.meshes_of(group)
    poses = {frame: getattr(one, "pose", None) for frame, one in mesh.frames.items()}
    return {frame: pose for frame, pose in poses.items() if isinstance(pose, KeptPose)}


def test_palettes_are_computed_once_they_are_needed(mode: Mode, rig):
    _, body = rig
    mode.record()
    # The first frame is to be proven.
    assert set(kept_poses(mode)) == set(range(2, FRAMES + 1))
    before = mode.cached.cache.byte_count
    assert assert_known_frames_are_blenders(mode, [body]) == FRAMES
    assert not kept_poses(mode)
    assert mode.cached.cache.byte_count == before


def test_a_rig_that_moves_is_where_blender_has_it(mode: Mode, rig):
    armature, body = rig
    for frame, x in ((3, 0.0), (6, 2.0)):
        armature.location.x = x
        armature.keyframe_insert("location", frame=frame)
    body.parent = armature
    bpy.context.view_layer.update()
    mode.record()
    (group,) = mode.cached.cache.groups
    (mesh,) = mode.cached.cache.meshes_of(group)
    places = {frame: one.mesh_to_world for frame, one in mesh.frames.items()}
    assert len(places) == FRAMES
    for frame, place in places.items():
        bpy.context.scene.frame_set(int(frame))
        depsgraph = bpy.context.evaluated_depsgraph_get()
        assert np.array_equal(place.T, np.array(body.evaluated_get(depsgraph).matrix_world))
    assert_known_frames_are_blenders(mode, [body])


def test_a_mesh_that_moves_beside_its_rig_is_where_blender_has_it(mode: Mode, rig):
    _, body = rig
    for frame, x in ((3, 0.0), (6, 2.0)):
        body.location.x = x
        body.keyframe_insert("location", frame=frame)
    bpy.context.view_layer.update()
    mode.record()
    assert assert_known_frames_are_blenders(mode, [body]) == FRAMES


@pytest.mark.usefixtures("rig")
def test_what_is_left_to_prove_is_proven_before_it_is_shown(mode: Mode, monkeypatch):
    monkeypatch.setattr(posed_mesh, "FRAMES_BETWEEN_PROOFS", 3)
    blenders = posed_mesh.read_blender_positions

    def read(*given):
        # As if something else had moved Blender's mesh.
        return blenders(*given) + (0.1 if bpy.context.scene.frame_current > 1 else 0.0)

    monkeypatch.setattr(posed_mesh, "read_blender_positions", read)
    mode.record()
    assert mode.known == FRAMES
    mode.play()
    assert not mode.cached.shown
    assert mode.known == 0


@pytest.mark.usefixtures("rig")
def test_no_frame_waits_for_a_proof_that_binding_has_made(mode: Mode, monkeypatch):
    proven: list[bool] = []
    prove = posed_mesh.PosedMesh.prove
    monkeypatch.setattr(posed_mesh.PosedMesh, "prove", lambda mesh: (proven.append(True), prove(mesh)))
    mode.record()
    assert mode.known == FRAMES
    assert not proven
    (group,) = mode.cached.cache.groups
    (mesh,) = mode.cached.cache.meshes_of(group)
    # After an edit, the mesh that was bound may be another than Blender's.
    mesh.drop_within([(3.0, 6.0)])
    mode.record()
    assert proven == [True]
    mode.play()
    assert mode.cached.shown


def test_a_mesh_that_is_not_blenders_when_it_is_bound_is_proven_at_the_first_frame(
    mode: Mode, rig, monkeypatch
):
    _, body = rig
    blenders = posed_mesh.read_blender_positions
    monkeypatch.setattr(posed_mesh, "read_blender_positions", lambda *given: blenders(*given) + 0.1)
    mode.cached.refresh()
    bpy.context.scene.frame_set(1)
    # Bound again, and then as vertices.
    mode.record()
    mode.record()
    (group,) = mode.cached.cache.groups
    (mesh,) = mode.cached.cache.meshes_of(group)
    assert not isinstance(mesh, posed_mesh.PosedMesh)
    monkeypatch.undo()
    mode.record()
    assert assert_known_frames_are_blenders(mode, [body]) == FRAMES


@pytest.mark.usefixtures("rig")
def test_what_is_left_to_prove_is_shown_if_it_is_blenders(mode: Mode, monkeypatch):
    monkeypatch.setattr(posed_mesh, "FRAMES_BETWEEN_PROOFS", 3)
    mode.record()
    waiting = mode.cached.cache.byte_count
    mode.play()
    assert mode.cached.shown
    # Blender's positions that they were compared with are gone.
    assert mode.cached.cache.byte_count < waiting
