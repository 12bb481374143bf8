"""The sidebar's panels keep their place and their height, and their texts fit into 280 pixels."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.skinning.deviation import Deviation
from skinning_addon.ui.settings.clip_lists import list_for
from skinning_addon.ui.translations.korean import KOREAN
from skinning_addon.viewport.character.figures import Figures
from skinning_addon.viewport.choices import translation
from skinning_addon.viewport.choices.preferences import ADD_ON
from tests.command_line.rig_files import animated_rig
from tests.scene.random_rig import RigOptions, random_rig
from tests.ui.recorded_layout import Button
from tests.ui.recorded_tab import recorded_overlays, recorded_preferences, recorded_tab

DEVELOPERS = {"SKINSCOPE_PT_matrices", "SKINSCOPE_PT_spaces", "SKINSCOPE_PT_technique"}


@pytest.fixture
def rig(session):  # noqa: ARG001 - registers the panels
    rig = animated_rig(RigOptions(scale="none"))
    for one in bpy.context.view_layer.objects:
        one.select_set(one == rig.mesh)
    bpy.context.view_layer.objects.active = rig.mesh
    return rig


@pytest.fixture
def developer(session):  # noqa: ARG001 - registers the preferences
    """The switch, on."""
    add_ons = bpy.context.preferences.addons
    listed = ADD_ON in add_ons
    if not listed:
        # What enabling an extension does besides registering it.
        add_ons.new().module = ADD_ON
    add_ons[ADD_ON].preferences.show_developer = True
    yield
    add_ons[ADD_ON].preferences.property_unset("show_developer")
    if not listed:
        add_ons.remove(add_ons[ADD_ON])


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


def test_the_first_figures_move_nothing(rig, session, monkeypatch):
    before = heights()
    session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    off = Figures(Deviation(np.array([0.0041]), np.array([1.0]), 0.1), "", 1.0, find_bone=lambda: "hand.L")
    monkeypatch.setattr(session, "measured", lambda *_: [("Body", off)])
    monkeypatch.setattr(session, "waiting", lambda *_: (0, 0))
    shown = recorded_tab(closed=False)
    assert "Body: left hand off by 4.1 mm" in [one.text for one in shown["SKINSCOPE_PT_preview"].texts]
    assert {name: one.height for name, one in shown.items()} == before


def test_the_display_takes_the_same_room_whatever_it_shows(rig):  # noqa: ARG001
    settings = bpy.context.scene.skinscope
    before = heights()
    for name in ("display", "placement"):
        for one in settings.bl_rna.properties[name].enum_items:
            setattr(settings, name, one.identifier)
            assert heights() == before, one.identifier
        settings.property_unset(name)


def test_showing_a_cause_alone_moves_nothing(rig, session, monkeypatch):
    """Not the button either that was pressed to show it."""
    off = Figures(Deviation(np.array([0.0041]), np.array([1.0]), 0.1), "", 1.0, find_bone=lambda: "hand.L")
    session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    monkeypatch.setattr(session, "measured", lambda *_: [("Body", off)])
    monkeypatch.setattr(session, "waiting", lambda *_: (0, 0))
    profiles = bpy.context.scene.skinscope.profiles
    profiles.profile = "threejs"
    bpy.ops.skinscope.profile_check("EXEC_DEFAULT")
    before = heights(closed=True)
    session.checks.results.with_alone.add(bpy.context.scene.session_uid)
    profiles.alone = "influence-limit"
    shown = recorded_tab()
    said = " ".join(one.text for one in shown["SKINSCOPE_PT_preview"].texts)
    assert "'Influence Limit' alone" in said
    assert {name: one.height for name, one in shown.items()} == before


def test_what_only_engine_programmers_need_is_not_there(rig):  # noqa: ARG001
    assert not DEVELOPERS & set(heights())


def test_one_switch_brings_it_at_the_tab_s_end(rig, developer):  # noqa: ARG001
    panels = list(heights())
    assert set(panels[panels.index("SKINSCOPE_PT_developer") + 1 :]) == DEVELOPERS


def test_meshes_that_a_file_stops_between_spaces_can_be_released_without_the_switch(rig):  # noqa: ARG001
    bpy.context.scene.skinscope.spaces.shown = True
    assert "SKINSCOPE_PT_spaces" in heights()


def test_figures_take_the_same_room_before_they_are_known(rig, session):
    before = heights(closed=True)["SKINSCOPE_PT_figure_details"]
    session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    assert heights(closed=True)["SKINSCOPE_PT_figure_details"] == before > 0


def test_the_buttons_at_the_top_stay_under_the_mouse_when_a_check_is_done(rig):  # noqa: ARG001
    scene = bpy.context.scene
    # What says which frames were checked takes two lines, then.
    scene.frame_start, scene.frame_end = 1001, 1020
    scene.skinscope.profiles.profile = "threejs"
    before = heights()["SKINSCOPE_PT_preview"]
    bpy.ops.skinscope.profile_check("EXEC_DEFAULT")
    assert heights()["SKINSCOPE_PT_preview"] == before


def test_panels_stay_when_a_check_is_done_and_when_the_engine_changes(rig, session):  # noqa: ARG001
    profiles = bpy.context.scene.skinscope.profiles
    before = list(heights())
    for engine in ("threejs", "unreal", "blender"):
        profiles.profile = engine
        assert list(heights()) == before
        bpy.ops.skinscope.profile_check("EXEC_DEFAULT")
        assert list(heights()) == before


def test_a_finding_names_its_object_and_takes_no_more_room_than_no_finding(rig, session):
    rig.mesh.vertex_groups.new(name="left over").add([0, 1], 1.0, "REPLACE")
    bpy.context.scene.skinscope.profiles.profile = "threejs"
    before = heights(closed=True)["SKINSCOPE_PT_profile_findings"]
    bpy.ops.skinscope.profile_check("EXEC_DEFAULT")
    rows = bpy.context.window_manager.skinscope_findings
    found = session.checks.results.of(bpy.context.scene.session_uid, "threejs").findings
    rows.active = [one.rule for one in found].index("groups-without-bone")
    panel = recorded_tab()["SKINSCOPE_PT_profile_findings"]
    assert rig.mesh.name in [one.text for one in panel.texts]
    assert panel.height - before < 2


def test_panels_of_clips_and_tracks_keep_their_height_while_they_play(rig, session):  # noqa: ARG001
    bpy.ops.skinscope.clips_refresh()
    bpy.ops.skinscope.track_add()
    before = heights(closed=True)
    names = [one for one in before if one.startswith(("SKINSCOPE_PT_animation", "SKINSCOPE_PT_tracks"))]
    for start in (bpy.ops.skinscope.mixer_play, bpy.ops.skinscope.script_play):
        start("EXEC_DEFAULT")
        playing = heights(closed=True)
        assert list(playing) == list(before)
        assert {one: playing[one] for one in names} == {one: before[one] for one in names}
        bpy.ops.skinscope.mixer_stop()
        stopped = heights(closed=True)
        assert {one: stopped[one] for one in names} == {one: before[one] for one in names}


def test_an_armature_without_clips_is_told_what_to_do(session):  # noqa: ARG001
    rig = random_rig(RigOptions(seed=5))
    bpy.context.view_layer.objects.active = rig.armature
    with pytest.raises(RuntimeError, match="key its bones first"):
        bpy.ops.skinscope.clips_refresh()
    list_for(rig.armature, ())
    panel = recorded_tab()["SKINSCOPE_PT_animation"]
    assert "key its bones, or import clips" in " ".join(one.text for one in panel.texts)


def korean(context: str, text: str) -> str:
    return KOREAN.get((context, text)) or KOREAN.get(("*", text)) or KOREAN.get(("Skinscope", text)) or text


def english(_context: str, text: str) -> str:
    return text


@pytest.fixture
def everything(rig, developer, session):  # noqa: ARG001
    """Each panel at its fullest: checked, previewed, with clips, a track and a key."""
    settings = bpy.context.scene.skinscope
    settings.profiles.profile, settings.profiles.second = "threejs", "unity-1"
    bpy.ops.skinscope.profile_check("EXEC_DEFAULT")
    settings.profiles.scanned, settings.spaces.shown = "CLIP", True
    settings.technique.technique = "PARTITIONED"
    rig.armature.skinscope_animation.root_motion = "EXTRACT_TURNING"
    bpy.ops.skinscope.clips_refresh()
    bpy.ops.skinscope.track_add()
    bpy.ops.skinscope.track_key_add()
    script = rig.armature.skinscope_animation.script
    script.instances, script.every = 2, False
    session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    return rig


@pytest.mark.parametrize("translate", [english, korean])
def test_every_text_fits_into_a_sidebar_of_280_pixels(everything, translate, monkeypatch):  # noqa: ARG001
    # Blender as a module speaks English alone.
    monkeypatch.setattr(translation, "pgettext_iface", lambda text, context="*": translate(context, text))
    settings = bpy.context.scene.skinscope
    too_wide: list[str] = []
    for engine in ("threejs", "unreal"):
        for display, placement in (("DEVIATION", "ASIDE"), ("DROPPED_WEIGHT", "SPLIT")):
            settings.profiles.profile, settings.display, settings.placement = engine, display, placement
            for panel in recorded_tab(translate).values():
                too_wide += panel.too_wide
    assert not too_wide, "\n".join(dict.fromkeys(too_wide))


@pytest.mark.parametrize("translate", [english, korean])
def test_every_text_fits_into_the_overlays_popover_and_the_preferences(everything, translate, monkeypatch):  # noqa: ARG001
    monkeypatch.setattr(translation, "pgettext_iface", lambda text, context="*": translate(context, text))
    # The rows of shortcuts are Blender's own, and it draws them only where there is a window.
    monkeypatch.setattr("rna_keymap_ui.draw_kmi", lambda *_: None)
    preferences = bpy.context.preferences.addons[ADD_ON].preferences
    drawn = (recorded_overlays(translate), recorded_preferences(preferences, translate))
    assert all(list(one.texts) for one in drawn)
    too_wide = [one for layout in drawn for one in layout.too_wide]
    assert not too_wide, "\n".join(too_wide)


def test_rows_of_lists_are_among_the_texts(everything):  # noqa: ARG001
    drawn = recorded_tab()
    for panel, text in (
        ("SKINSCOPE_PT_profile_findings", "Influence Limit"),
        ("SKINSCOPE_PT_animation", "Sway"),
        ("SKINSCOPE_PT_tracks", "Enable"),
    ):
        assert text in [one.text for one in drawn[panel].texts], [one.text for one in drawn[panel].texts]


def test_buttons_without_text_say_what_they_do_in_words_of_their_own(everything):
    bpy.ops.object.mode_set(mode="OBJECT")
    everything.armature.skinscope_animation.script.tracks[0].masked = True
    for panel, drawn in recorded_tab().items():
        buttons = list(drawn.buttons)
        said = {(one.operator, str(one.properties)): tooltip(one) for one in buttons}
        for one in buttons:
            if not one.text:
                mine = said[one.operator, str(one.properties)]
                assert list(said.values()).count(mine) == 1, (panel, mine)


def tooltip(button: Button) -> str:
    """What Blender shows over a button."""
    group, name = button.operator.split(".")
    operator = getattr(bpy.types, f"{group.upper()}_OT_{name}")
    described = getattr(operator, "description", None)
    told = described(bpy.context, button.properties) if described else ""
    return told or getattr(bpy.ops.skinscope, name).get_rna_type().description


def test_dragging_the_threshold_goes_by_fractions_of_it(session):  # noqa: ARG001
    """Blender drags a length by the unit nearest to ten steps for each pixel, a step being a hundredth."""
    select = bpy.ops.skinscope.select_deviating.get_rna_type().properties["threshold"]
    for one in (type(bpy.context.scene.skinscope).bl_rna.properties["threshold"], select):
        assert 10 * one.step / 100 <= one.default / 2
