"""A preview whose mesh is changed by modifiers after the armature waits for the armature's own result. Nothing
is drawn.
"""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.viewport.character.preview import Preview
from skinning_addon.viewport.character.stale import Stale
from skinning_addon.viewport.layers import layer_key
from tests.scene.random_rig import RandomRig, RigOptions, random_rig


@pytest.fixture
def rig() -> RandomRig:
    rig = random_rig(RigOptions(seed=3, transformed=True))
    rig.mesh.modifiers.new("Subdivision", "SUBSURF").levels = 1
    rig.mesh.modifiers.new("Bulge", "CAST").factor = 0.5
    bpy.context.view_layer.update()
    return rig


@pytest.fixture
def preview(session, rig) -> Preview:
    return session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())


def drawn(preview: Preview, rig: RandomRig):
    """What the draw handler does for a display that compares."""
    bpy.context.view_layer.update()
    depsgraph = bpy.context.view_layer.depsgraph
    live = preview.follow(rig.mesh, depsgraph, layer_key(bpy.context.scene, bpy.context.view_layer))
    live._reference.follow(live._frame_revision, live._frame, rig.mesh, depsgraph)
    return live


def read_now(session, live) -> None:
    """What the timer does, without the rest between two times."""
    live._reading_shadows.due = 0.0
    session.postponed.read_shadows()


def relative_deviation(live) -> float:
    reference, mesh = live._reference, live.binding.mesh
    skinned = SoftwareSkinner(reference.frame.chain, mesh).skin(reference.frame.palettes)
    return np.abs(skinned.positions - reference.positions).max() / mesh.diagonal


def test_nothing_is_read_while_drawing_and_all_of_one_instant_afterwards(session, preview, rig):
    live = drawn(preview, rig)
    assert live._reference.wanted
    assert live._reference.positions is None
    read_now(session, live)
    reference = live._reference
    assert not reference.wanted
    assert (reference.before, reference.problem) == ("Subdivision", "")
    assert relative_deviation(live) < 1e-5

    rig.pose()
    live = drawn(preview, rig)
    assert live._reference.wanted
    assert relative_deviation(live) < 1e-5, "the last pose, until the next is read"
    assert live._reference.frame is not live._frame
    read_now(session, live)
    assert live._reference.frame is live._frame
    assert relative_deviation(live) < 1e-5


def test_reading_is_no_reason_to_read_again(session, preview, rig):
    """It makes and removes data-blocks, which Blender reports as an update of every object."""
    live = drawn(preview, rig)
    read_now(session, live)
    binding = live.binding
    for _ in range(3):
        live = drawn(preview, rig)
        assert not live._reference.wanted
        preview._binding_pace.due = 0.0
        session.postponed.bind_previews()
    assert preview.wanted_in is None
    assert preview.binding is binding


def test_it_rests_between_two_times(session, preview, rig):
    live = drawn(preview, rig)
    read_now(session, live)
    rig.pose()
    drawn(preview, rig)
    session.postponed.read_shadows()
    assert live._reference.wanted
    assert preview.shadow_due > 0


def test_the_rest_position_is_noticed(session, preview, rig):
    live = drawn(preview, rig)
    read_now(session, live)
    rig.armature.data.pose_position = "REST"
    live = drawn(preview, rig)
    assert live._reference.wanted
    read_now(session, live)
    np.testing.assert_allclose(live._reference.positions, live.binding.mesh.positions, atol=1e-6)  # pyright: ignore[reportCallIssue]
    assert relative_deviation(live) < 1e-5


def test_without_modifiers_after_the_final_mesh_is_read_at_once(session, rig):
    rig.mesh.modifiers["Bulge"].show_viewport = rig.mesh.modifiers["Subdivision"].show_viewport = False
    bpy.context.view_layer.update()
    preview = session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    live = drawn(preview, rig)
    assert live.shadow_due is None
    assert live._reference.before == ""
    assert relative_deviation(live) < 1e-5


def test_a_pose_of_a_mixer_is_never_taken_for_blenders(session, preview, rig, monkeypatch):
    """The comparison may be wanted just before the mixer starts."""
    live = drawn(preview, rig)
    assert live._reference.wanted
    posed_otherwise = {name: one.rest_to_root for name, one in live.binding.skeletons.items()}
    monkeypatch.setattr(session.players, "poses", lambda: posed_otherwise)
    preview.mark(Stale.POSE)
    read_now(session, live)
    assert live._reference.positions is None
    layer = layer_key(bpy.context.scene, bpy.context.view_layer)
    preview.follow(rig.mesh, bpy.context.view_layer.depsgraph, layer, session.players.poses())
    assert live.is_played
    assert live.shadow_due is None
    # At rest, skinning moves nothing.
    skinned = SoftwareSkinner(live._frame.chain, live.binding.mesh).skin(live._frame.palettes)
    assert np.abs(skinned.positions - live.binding.mesh.positions).max() < 1e-4 * live.binding.mesh.diagonal
