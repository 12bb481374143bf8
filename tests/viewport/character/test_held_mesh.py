"""Previews of meshes that move relative to their armatures, judged by the .glb file that the profile's exporter
writes.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from skinning_addon.viewport.character.preview import Preview
from skinning_addon.viewport.session import ViewportSession
from tests.engines.held_meshes import AS_A_SCENE, METRES, previewed, written_positions
from tests.engines.moving_meshes import FRAMES, MOVES, SHOWN, arm


def start(session: ViewportSession) -> tuple[Preview, bpy.types.Object]:
    (mesh,) = deformed_meshes(bpy.context.scene)
    profile = exported_so(load_profile("threejs"), AS_A_SCENE)
    preview = Preview(mesh, bpy.context.evaluated_depsgraph_get(), profile)
    session.add((preview,))
    return preview, mesh


@pytest.mark.parametrize("name", MOVES)
def test_a_mesh_is_where_the_file_has_it(session, tmp_path: Path, name: str):
    arm(MOVES[name])
    (mesh,) = deformed_meshes(bpy.context.scene)
    written = written_positions(tmp_path, mesh, **AS_A_SCENE)
    arm(MOVES[name])
    preview, mesh = start(session)
    for frame, expected in zip(FRAMES, written, strict=True):
        bpy.context.scene.frame_set(frame)
        assert np.linalg.norm(previewed(preview, mesh) - expected, axis=1).max() <= METRES


def test_a_key_at_another_frame_is_noticed(session, tmp_path: Path):
    arm(MOVES["keyed"])
    preview, mesh = start(session)
    previewed(preview, mesh)
    mesh.location = (0.4, 0, 0.7)
    mesh.keyframe_insert("location", frame=0)
    previewed(preview, mesh)
    catch_up(session, preview)
    shown = previewed(preview, mesh)
    written = written_positions(tmp_path, mesh, **AS_A_SCENE)[FRAMES.index(SHOWN)]
    assert np.linalg.norm(shown - written, axis=1).max() <= METRES


def test_a_key_in_the_same_turn_as_a_new_frame_is_noticed(session):
    arm(MOVES["keyed"])
    preview, mesh = start(session)
    previewed(preview, mesh)
    catch_up(session, preview)
    bpy.context.scene.frame_set(SHOWN + 1)
    bpy.context.scene.frame_set(SHOWN + 2)
    assert preview.held.due is None
    mesh.keyframe_insert("location", frame=0)
    bpy.context.scene.frame_set(SHOWN + 3)
    assert preview.held.due is not None


def test_places_are_read_once_after_an_edit_and_not_at_a_new_frame(session):
    arm(MOVES["keyed"])
    preview, mesh = start(session)
    previewed(preview, mesh)
    mesh.keyframe_insert("location", frame=3)
    previewed(preview, mesh)
    catch_up(session, preview)
    previewed(preview, mesh)
    assert preview.held.due is None, "it goes on reading"
    bpy.context.scene.frame_set(SHOWN + 3)
    previewed(preview, mesh)
    assert preview.held.due is None


def catch_up(session: ViewportSession, preview: Preview) -> None:
    """Do what the timer does a moment after the last edit."""
    assert preview.held.due is not None
    preview.held.due = 0.0
    session.postponed.bind_previews()
