"""The sidebar's panels keep their place and their height, and their texts fit into 280 pixels."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.ui.widgets import sidebar
from skinning_addon.viewport.choices.preferences import Preferences
from tests.scene.random_rig import RigOptions, random_rig
from tests.ui.recorded_layout import recorded_tab

DEVELOPERS = {"SKINSCOPE_PT_matrices", "SKINSCOPE_PT_spaces", "SKINSCOPE_PT_technique"}


@pytest.fixture
def rig(session):  # noqa: ARG001 - registers the panels
    rig = random_rig(RigOptions(seed=5, scale="none"))
    for one in bpy.context.view_layer.objects:
        one.select_set(one == rig.mesh)
    bpy.context.view_layer.objects.active = rig.mesh
    return rig


def heights(*, closed: bool = False) -> dict[str, float]:
    return {name: one.height for name, one in recorded_tab(closed=closed).items()}


def test_panels_keep_their_place_and_height_when_a_preview_starts_and_stops(rig, session):
    before = heights()
    session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    running = heights()
    assert list(running) == list(before)
    assert running == before
    session.stop_all()
    assert heights() == before


def test_the_display_takes_the_same_room_whatever_it_shows(rig):  # noqa: ARG001
    settings = bpy.context.scene.skinscope
    before = heights()
    for name in ("display", "placement"):
        for one in settings.bl_rna.properties[name].enum_items:
            setattr(settings, name, one.identifier)
            assert heights() == before, one.identifier
        settings.property_unset(name)


def test_what_only_engine_programmers_need_is_behind_one_switch(rig, monkeypatch):  # noqa: ARG001
    assert not DEVELOPERS & set(heights())
    monkeypatch.setattr(sidebar, "read_preferences", lambda: Preferences(show_developer=True))
    panels = list(heights())
    assert set(panels) >= DEVELOPERS
    # At the tab's end: nothing moves when they come.
    assert set(panels[panels.index("SKINSCOPE_PT_developer") + 1 :]) == DEVELOPERS


def test_meshes_that_a_file_stops_between_spaces_can_be_released_without_the_switch(rig):  # noqa: ARG001
    bpy.context.scene.skinscope.spaces.shown = True
    assert "SKINSCOPE_PT_spaces" in heights()


def test_figures_take_the_same_room_before_they_are_known(rig, session):
    before = heights(closed=True)["SKINSCOPE_PT_figure_details"]
    session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    assert heights(closed=True)["SKINSCOPE_PT_figure_details"] == before > 0
