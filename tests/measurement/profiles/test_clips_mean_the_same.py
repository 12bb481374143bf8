"""A clip that leaves bones out means the same to the sidebar, to `check` and to the mixer; the files that
exporters write are in tests/engines/test_playback_in_files.py.
"""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.profile import BLENDER, Profile
from skinning_addon.core.verdicts.rules_of_losses import RULES_OF_LOSSES
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.profiles.profile_scan import ProfileScan
from skinning_addon.scene.baking.clip_baking import BakeSettings, bake_clips
from skinning_addon.scene.clips.clips import find_clips
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.engines.partly_keyed import posed_arm

FRAMES = range(1, 13)

LOST = {one.id for one in RULES_OF_LOSSES}

THREEJS, UNITY = load_profile("threejs"), load_profile("unity-4")


def volume_arm(active: str) -> bpy.types.Object:
    """Build an arm that engines bend otherwise, so that its deviation shows which pose was measured."""
    armature = posed_arm("Able", "Wave", active=active)
    (mesh,) = deformed_meshes(bpy.context.scene)
    mesh.modifiers[0].use_deform_preserve_volume = True
    bpy.context.view_layer.update()
    return armature


@pytest.mark.parametrize("active", ["Able", "Wave"])
def test_the_sidebar_and_check_measure_the_same_pose(active: str):
    volume_arm(active)
    scene = bpy.context.scene
    profiles = (THREEJS, UNITY)
    scan = ProfileScan(
        scene,
        bpy.context.evaluated_depsgraph_get(),
        deformed_meshes(scene),
        profiles,
        find_clips(scene, ["Able"]),
    )
    for _ in scan.steps():
        pass
    settings = CheckSettings(
        "cpu", clips=("Able",), frames_of=lambda _: [float(one) for one in FRAMES], profiles=profiles
    )
    checked = check_scene(scene, "arm", settings).meshes
    ours = [one.meshes[0].worst.max for one in scan.reports]
    theirs = [one.worst.max for one in checked]
    assert ours == pytest.approx(theirs, abs=1e-5)
    # FBX keeps the scene's pose for every action, glTF only for the first, if it is active.
    keeps = active == "Able"
    assert (abs(ours[0] - ours[1]) < 1e-5) == keeps


@pytest.mark.parametrize(("profile", "turned"), [(BLENDER, True), (THREEJS, False), (UNITY, True)])
def test_the_mixer_bakes_what_the_file_holds(profile: Profile, *, turned: bool):
    armature = volume_arm("Wave")
    scene = bpy.context.scene
    settings = BakeSettings().under(profile)
    (baked,) = bake_clips(scene, armature, find_clips(scene, ["Able"]), settings)
    # At rest the root bone is turned by 90 degrees about X, from Y up to Z.
    first = baked.clip.rotation.channel(baked.clip.bones.index("b0"))[1][:, 0]
    assert (abs(first[0] - 0.70711) > 0.01) == turned


def test_the_sidebar_and_check_find_the_same_losses():
    posed_arm("Able", "Wave", active="Wave")
    scene = bpy.context.scene
    clips = find_clips(scene, ["Able"])
    scan = ProfileScan(
        scene, bpy.context.evaluated_depsgraph_get(), deformed_meshes(scene), [THREEJS, UNITY], clips
    )
    for _ in scan.steps():
        pass
    ours, by_unity = ([one for one in report.findings if one.rule in LOST] for report in scan.reports)
    settings = CheckSettings("cpu", clips=("Able",), profiles=(THREEJS,))
    (theirs,) = [one for one in check_scene(scene, "arm", settings).findings if one.rule in LOST]
    assert [(one.rule, one.count) for one in ours] == [("pose-not-keyed", theirs.count)]
    assert ours[0].deviation == pytest.approx(theirs.deviation, abs=1e-5)
    assert not by_unity
