"""Keyed or driven settings of modifiers and bones: skinning follows them, judged by Blender's
evaluated mesh.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.frame.mesh_measurement import MeshMeasurement
from skinning_addon.measurement.pictures.played_meshes import PlayedMeshes
from skinning_addon.scene.binding.instant import Instant
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.scene.animated_settings import FRAMES, MASK, PLAIN, SETTINGS, TWO, animated_rig, driven, keyed
from tests.scene.comparison import blender_positions, relative_distance, size_of_motion
from tests.scene.random_rig import random_rig


def now() -> Instant:
    return Instant(bpy.context.evaluated_depsgraph_get())


@pytest.mark.parametrize("animate", [keyed, driven])
@pytest.mark.parametrize("setting", SETTINGS)
def test_an_animated_setting_is_followed(setting: str, animate: Callable[..., None]):
    rig = animated_rig(setting, animate)
    measurement = MeshMeasurement(rig.mesh, now(), "cpu")
    shapes = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        if bpy.app.version < (5, 0):
            # Blender 4 prepares bendy bones before drivers have set their segments: its own mesh comes one
            # evaluation late.
            bpy.context.scene.frame_set(frame)
        measured = measurement.measure(rig.mesh, now())
        assert relative_distance(rig.mesh, measured.skinned.positions) <= 1e-5, frame
        shapes.append(blender_positions(rig.mesh))
    assert np.abs(shapes[1] - shapes[0]).max() > 1e-3 * size_of_motion(rig.mesh), "it makes no difference"


def test_a_mask_that_a_script_exchanges_is_followed():
    """A vertex group can't be keyed; a handler of frame changes can set it."""
    rig = random_rig(MASK)
    modifier = rig.mesh.modifiers[0]
    measurement = MeshMeasurement(rig.mesh, now(), "cpu")
    for name in ("", "mask", "no group of this name"):
        modifier.vertex_group = name
        measured = measurement.measure(rig.mesh, now())
        assert relative_distance(rig.mesh, measured.skinned.positions) <= 1e-5, name


def test_weights_that_a_modifier_changes_from_frame_to_frame_are_followed():
    rig = random_rig(PLAIN)
    edit = rig.mesh.modifiers.new("Edit", "VERTEX_WEIGHT_EDIT")
    edit.vertex_group, edit.invert_falloff = rig.armature.data.bones[0].name, True
    rig.mesh.modifiers.move(1, 0)
    keyed(edit, "mask_constant", 0.0, 1.0)
    measurement = MeshMeasurement(rig.mesh, now(), "cpu")
    shapes = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        measured = measurement.measure(rig.mesh, now())
        assert relative_distance(rig.mesh, measured.skinned.positions) <= 1e-5, frame
        shapes.append(blender_positions(rig.mesh))
    assert np.abs(shapes[1] - shapes[0]).max() > 1e-3 * size_of_motion(rig.mesh), "it makes no difference"


def test_an_armature_that_is_switched_on_later_is_checked():
    rig = animated_rig("show_viewport")
    bpy.context.scene.frame_set(2)
    assert not rig.mesh.modifiers[0].show_viewport
    assert deformed_meshes(bpy.context.scene) == [rig.mesh]
    report = check_scene(bpy.context.scene, "rig", CheckSettings("cpu", frames_of=lambda _: FRAMES))
    (mesh,) = report.meshes
    assert mesh.worst.frames == len(FRAMES)
    assert mesh.worst.relative <= 1e-5


def test_what_is_switched_on_after_the_armature_is_left_out_at_every_frame():
    rig = random_rig(PLAIN)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    push = rig.mesh.modifiers.new("Push", "DISPLACE")
    push.strength, push.mid_level = 0.5, 0.0
    keyed(push, "show_viewport", False, True)
    scene.frame_set(1)
    report = check_scene(scene, "rig", CheckSettings("cpu", frames_of=lambda _: FRAMES))
    (mesh,) = report.meshes
    assert mesh.worst.relative <= 1e-5
    (finding,) = [one for one in report.findings if one.rule == "modifier-after"]
    assert finding.deviation == pytest.approx(0.5, rel=1e-5)


def test_a_cause_that_is_not_there_at_first_is_found():
    rig = animated_rig("use_deform_preserve_volume")
    settings = CheckSettings("cpu", frames_of=lambda _: FRAMES, profiles=(load_profile("threejs"),))
    report = check_scene(bpy.context.scene, "rig", settings)
    (mesh,) = report.meshes
    (finding,) = [one for one in report.findings if one.rule == "preserve-volume"]
    assert finding.frame == 2
    assert finding.deviation is not None
    assert finding.deviation > 1e-3 * mesh.worst.max
    assert rig.mesh.name == finding.object


def test_what_can_only_sometimes_not_be_reproduced_is_named():
    rig = random_rig(TWO)
    wave = rig.mesh.modifiers.new("Push", "DISPLACE")
    rig.mesh.modifiers.move(2, 1)
    keyed(wave, "show_viewport", False, True)
    bpy.context.scene.frame_set(1)
    report = check_scene(bpy.context.scene, "rig", CheckSettings("cpu", frames_of=lambda _: FRAMES))
    (mesh,) = report.meshes
    assert not mesh.exact
    assert "modifier-between" in {one.rule for one in report.findings}


@pytest.mark.parametrize("setting", ["use_deform_preserve_volume", "use_deform"])
def test_what_is_played_follows_a_setting(setting: str):
    rig = animated_rig(setting)
    with PlayedMeshes([rig.mesh], "cpu") as played:
        for frame in FRAMES:
            bpy.context.scene.frame_set(frame)
            (mesh,) = played.at({})
            assert relative_distance(rig.mesh, mesh.skinned.positions) <= 1e-5, frame


def test_another_scenes_frame_is_skinned_as_that_scene_shows_it():
    """Blender writes animated values back to the originals, but not those of every scene."""
    rig = animated_rig("use_deform_preserve_volume")
    rig.mesh.shape_key_add(name="Basis")
    key = rig.mesh.shape_key_add(name="Bulge")
    for point in key.data:
        point.co *= 1.5
    keyed(key, "value", 0.0, 1.0)
    other = bpy.data.scenes.new("Other")
    for one in (rig.mesh, rig.armature):
        other.collection.objects.link(one)
    bpy.context.scene.frame_set(1)
    other.frame_set(2)
    for scene in (bpy.context.scene, other):
        depsgraph = scene.view_layers[0].depsgraph
        instant = Instant(depsgraph)
        measured = MeshMeasurement(rig.mesh, instant, "cpu").measure(rig.mesh, instant)
        evaluated = rig.mesh.evaluated_get(depsgraph).data
        blender = np.array([vertex.co for vertex in evaluated.vertices], dtype=np.float64)
        assert np.abs(measured.skinned.positions - blender).max() <= 1e-5 * size_of_motion(rig.mesh), scene
