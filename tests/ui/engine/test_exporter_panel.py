"""The user's own export settings: taken over from Blender's exporters, and followed by previews and checks."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.core.profiles.exporter_settings import SETTINGS
from skinning_addon.core.profiles.profile import FileFormat
from skinning_addon.ui.engine.exporter_panel import settings_held
from skinning_addon.ui.settings.exporter_settings import own_settings
from skinning_addon.ui.settings.profile_settings import profile_in_focus
from skinning_addon.ui.settings.properties import preview_settings
from skinning_addon.viewport.session import current_session
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.scene.random_rig import RigOptions


@pytest.fixture
def settings(session):  # noqa: ARG001 - registers the classes
    rig = animated_rig(RigOptions(influences=7, scale="none"))
    without_flaws(rig)
    bpy.context.view_layer.objects.active = rig.mesh
    profiles = bpy.context.scene.skinscope.profiles
    profiles.profile = "godot4-8"
    return profiles.exporter


def largest_deviation() -> float:
    assert bpy.ops.skinscope.profile_check("EXEC_DEFAULT") == {"FINISHED"}
    scene = bpy.context.scene
    return current_session().checks.results.of(scene.session_uid, "godot4-8").worst_mesh.worst.max


def test_every_setting_is_offered_with_blenders_default(settings):
    for name, one in SETTINGS.items():
        assert getattr(settings, name) == one.default
        told = settings.bl_rna.properties[name]
        assert (told.name, told.description) == (one.label, one.effect)


def test_profiles_assume_their_own_settings_until_the_user_sets_others(settings, session):
    scene = bpy.context.scene
    assert own_settings(settings) == {}
    assert profile_in_focus(scene).exporter.influences == 8
    before = largest_deviation()
    settings.use_own = True
    assert session.checks.results.outdated
    assert profile_in_focus(scene).exporter.influences == 4
    assert preview_settings(scene).profile.exporter.influences == 4
    assert preview_settings(scene).profile is preview_settings(scene).profile
    assert largest_deviation() > max(before, 1e-4)
    settings.export_influence_nb = 8
    assert largest_deviation() == pytest.approx(before)


def test_the_last_export_is_taken_over(settings, tmp_path: Path):
    with pytest.raises(RuntimeError, match="Nothing was exported with this exporter yet"):
        bpy.ops.skinscope.exporter_settings_take(source="LAST")
    assert not settings.use_own
    # With an undo step, as the window manager calls it: only then does Blender remember the operator.
    path = str(tmp_path / "rig.glb")
    bpy.ops.export_scene.gltf("EXEC_DEFAULT", True, filepath=path, export_influence_nb=6)
    assert bpy.ops.skinscope.exporter_settings_take(source="LAST") == {"FINISHED"}
    assert own_settings(settings)["export_influence_nb"] == 6
    assert profile_in_focus(bpy.context.scene).exporter.influences == 6


def test_what_the_file_remembers_is_taken_over(settings):
    with pytest.raises(RuntimeError, match="This file holds no export settings"):
        bpy.ops.skinscope.exporter_settings_take(source="SCENE")
    # As the exporter stores them: what differs from its defaults, flags as they are.
    bpy.context.scene["glTF2ExportSettings"] = {
        "export_def_bones": True,
        "export_influence_nb": 6,
        "export_animation_mode": "SCENE",
        "export_draco_mesh_compression_enable": True,
    }
    assert bpy.ops.skinscope.exporter_settings_take(source="SCENE") == {"FINISHED"}
    taken = own_settings(settings)
    assert (taken["export_def_bones"], taken["export_influence_nb"]) == (True, 6)
    assert taken["export_animation_mode"] == "SCENE"
    assert not taken["export_hierarchy_flatten_bones"]


def test_a_collections_exporter_is_taken_over(settings):
    bpy.context.scene.skinscope.profiles.profile = "unity-4"
    with pytest.raises(RuntimeError, match="The active collection has no such exporter"):
        bpy.ops.skinscope.exporter_settings_take(source="COLLECTION")
    bpy.ops.collection.exporter_add(name="IO_FH_gltf2")
    with pytest.raises(RuntimeError, match="The active collection has no such exporter"):
        bpy.ops.skinscope.exporter_settings_take(source="COLLECTION")
    bpy.ops.collection.exporter_add(name="IO_FH_fbx")
    own = bpy.context.collection.exporters[-1].export_properties
    own.use_armature_deform_only = True
    own.bake_anim_simplify_factor = 0.25
    assert bpy.ops.skinscope.exporter_settings_take(source="COLLECTION") == {"FINISHED"}
    assert settings.use_own
    assert settings.use_armature_deform_only
    assert settings.bake_anim_simplify_factor == pytest.approx(0.25)
    assert settings_held(own, FileFormat.FBX)["bake_anim_use_nla_strips"] is True


def test_the_advice_of_a_finding_is_tried_and_confirmed(session):
    rig = animated_rig(RigOptions(seed=1, influences=4, inherit_scale="AVERAGE"))
    without_flaws(rig)
    bpy.context.view_layer.objects.active = rig.mesh
    scene = bpy.context.scene
    scene.skinscope.profiles.profile = "threejs"

    def deviation_of_shear() -> float:
        assert bpy.ops.skinscope.profile_check("EXEC_DEFAULT") == {"FINISHED"}
        rows = bpy.context.window_manager.skinscope_findings
        report = session.checks.results.of(scene.session_uid, "threejs")
        for number, finding in enumerate(report.findings):
            if finding.rule == "sheared-local-matrix":
                rows.active = number
                return finding.deviation
        return 0.0

    before = deviation_of_shear()
    assert before > 1e-3
    assert bpy.ops.skinscope.finding_export.poll()
    assert bpy.ops.skinscope.finding_export() == {"FINISHED"}
    assert scene.skinscope.profiles.exporter.export_hierarchy_flatten_bones
    assert deviation_of_shear() < before / 10
