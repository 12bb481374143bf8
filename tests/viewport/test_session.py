from __future__ import annotations

from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.skinning.deviation import Deviation
from skinning_addon.core.text.errors import BindingError
from skinning_addon.viewport.character.figures import Figures
from skinning_addon.viewport.choices.settings import PreviewSettings
from skinning_addon.viewport.layers import depsgraph_of, layer_key
from tests.scene.random_rig import RigOptions, random_rig


@pytest.fixture
def meshes():
    rig = random_rig(RigOptions())
    other = rig.mesh.copy()
    bpy.context.scene.collection.objects.link(other)
    return rig.mesh, other


def depsgraph():
    return bpy.context.evaluated_depsgraph_get()


def test_each_object_has_one_preview(session, meshes):
    first = session.start(meshes[0], depsgraph())
    session.start(meshes[1], depsgraph())
    again = session.start(meshes[0], depsgraph())
    assert len(session.previews) == 2
    assert session.preview_of(meshes[0]) is again is not first
    session.stop([meshes[0].session_uid])
    assert session.preview_of(meshes[0]) is None
    assert session.preview_of(meshes[1]) is not None
    assert session.running


def test_an_object_that_cannot_be_skinned_leaves_the_session_as_it_was(session, meshes):
    session.start(meshes[0], depsgraph())
    meshes[1].modifiers.clear()
    with pytest.raises(BindingError):
        session.start(meshes[1], depsgraph())
    assert len(session.previews) == 1


def test_only_the_preview_that_depends_on_a_data_block_is_marked(session, meshes):
    meshes[1].data = meshes[1].data.copy()
    previews = [session.start(one, depsgraph()) for one in meshes]
    revisions = [one._revision for one in previews]
    meshes[1].data.vertices[0].co.x += 1
    bpy.context.view_layer.update()
    assert previews[0]._revision == revisions[0]
    assert previews[1]._revision > revisions[1]


def test_figures_of_another_engine_are_not_shown(session, meshes, monkeypatch):
    """A mesh is skinned again only after the picture with the new engine's name was drawn."""
    preview = session.start(meshes[0], depsgraph())
    layer = layer_key(bpy.context.scene, bpy.context.view_layer)
    off = Deviation(np.array([0.01]), np.array([1.0]), 0.1)
    live = SimpleNamespace(figures=Figures(off, "", 1.0), is_played=False, free=lambda: None)
    monkeypatch.setitem(preview._meshes_in_layers, layer, live)
    assert [figures for _, figures in session.measured(layer)] == [live.figures]
    monkeypatch.setattr(
        session, "settings_of", lambda _scene: PreviewSettings(profile=load_profile("unity-1"))
    )
    assert session.measured(layer) == []
    assert session.figures_of(preview, layer) is None
    assert session.waiting(layer) == (1, 0)


def test_another_file_ends_all_previews(session, meshes):
    session.start(meshes[0], depsgraph())
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    assert session.previews == ()
    assert not session.running


def test_timers_end_with_the_last_preview(session, meshes):
    session.start(meshes[0], depsgraph())
    session.postponed.redraw.at(float(10**9))
    session.postponed.bind.at(float(10**9))
    assert bpy.app.timers.is_registered(session.postponed.redraw._timer)
    session.stop_all()
    assert not bpy.app.timers.is_registered(session.postponed.redraw._timer)
    assert not bpy.app.timers.is_registered(session.postponed.bind._timer)


def test_rebinding_is_done_by_the_timer_for_the_layer_that_asked(session, meshes):
    preview = session.start(meshes[0], depsgraph())
    bound = preview.binding
    meshes[0].vertex_groups[0].add([0], 0.5, "REPLACE")
    bpy.context.view_layer.update()
    preview.follow(meshes[0], depsgraph(), layer_key(bpy.context.scene, bpy.context.view_layer))
    preview._binding_pace.due = 0.0
    session.postponed.bind_previews()
    assert preview.binding is not bound
    assert preview.wanted_in is None


def test_an_error_of_ours_while_binding_switches_off_one_preview(session, meshes, monkeypatch, capsys):
    previews = [session.start(one, depsgraph()) for one in meshes]
    session.mark_all(4)
    for one, preview in zip(meshes, previews, strict=True):
        preview.follow(one, depsgraph(), layer_key(bpy.context.scene, bpy.context.view_layer))
        preview._binding_pace.due = 0.0
    monkeypatch.setattr(previews[0], "_bind", lambda *_: 1 / 0)
    session.postponed.bind_previews()
    assert "console" in previews[0].error
    assert previews[1].error == ""
    assert capsys.readouterr().err.count("ZeroDivisionError") == 1
    assert session.running


def test_a_view_layer_that_is_gone_has_no_depsgraph():
    layer = layer_key(bpy.context.scene, bpy.context.view_layer)
    assert depsgraph_of(layer) == bpy.context.view_layer.depsgraph
    bpy.context.view_layer.name = "Renamed"
    assert depsgraph_of(layer) is None
    assert depsgraph_of((layer[0] + 12345, "Renamed")) is None
