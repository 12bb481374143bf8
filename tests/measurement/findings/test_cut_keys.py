"""Keys of an armature that moves as a whole, outside of what an exporter keeps: how far off that is."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.core.profiles.profile import Profile
from skinning_addon.core.verdicts.finding import Finding
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.profiles.profile_scan import ProfileScan
from skinning_addon.scene.clips.actions import fcurves
from skinning_addon.scene.clips.clips import find_clips
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.scene.posed_arm import keyed_arm

IN_RANGE = {"export_frame_range": True}
CROPPED = {"export_negative_frame": "CROP"}
EVERY_FOURTH = {"export_frame_step": 4}

METRES_A_FRAME = 0.25


def sliding_arm(first: int = 1, last: int = 9) -> bpy.types.Object:
    """Build an arm that its action 'Bend' slides as a whole, evenly, while its bones stand still."""
    armature = keyed_arm(frames=(first, last), degrees=0)
    bpy.data.objects["Skin"].parent = armature
    for frame in (first, last):
        armature.location.x = METRES_A_FRAME * (frame - first)
        armature.keyframe_insert("location", frame=frame)
    for curve in fcurves(bpy.data.actions["Bend"]):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 3, 7
    return armature


def checked(profile: Profile) -> list[Finding]:
    settings = CheckSettings("cpu", clips=("Bend",), profiles=(profile,))
    return list(check_scene(bpy.context.scene, "arm", settings).findings)


def scanned(profile: Profile) -> list[Finding]:
    scene = bpy.context.scene
    clips = find_clips(scene, ["Bend"])
    depsgraph = bpy.context.evaluated_depsgraph_get()
    scan = ProfileScan(scene, depsgraph, deformed_meshes(scene), (profile,), clips)
    for _ in scan.steps():
        pass
    return list(scan.reports[0].findings)


@pytest.mark.parametrize("found", [checked, scanned])
@pytest.mark.parametrize(
    ("settings", "first", "rule", "frames_off"),
    [
        (IN_RANGE, 1, "frames-cut-in-file", 2),
        (CROPPED, -3, "frames-cut-in-file", 3),
        # Keys at 1 and 5; the last one, at 9, plays.
        (EVERY_FOURTH, 1, None, 0),
        # Keys at 0, 4 and 8: the frame after that is off.
        (EVERY_FOURTH, 0, "frames-between-keys", 1),
    ],
)
def test_the_nearest_key_holds_the_armature(found, settings, first: int, rule: str | None, frames_off: int):
    sliding_arm(first)
    profile = exported_so(load_profile("threejs"), settings)
    told = [
        (one.rule, one.deviation) for one in found(profile) if one.rule.startswith(("frames", "armature"))
    ]
    expected = [] if rule is None else [(rule, pytest.approx(METRES_A_FRAME * frames_off, abs=1e-5))]
    assert told == expected


@pytest.mark.parametrize("settings", [IN_RANGE, CROPPED, EVERY_FOURTH])
@pytest.mark.parametrize("by", ["parent", "constraint", "driver"])
def test_what_else_moves_it_is_named(settings, by: str):
    armature = sliding_arm()
    stand = bpy.data.objects.new("Stand", None)
    bpy.context.scene.collection.objects.link(stand)
    if by == "parent":
        armature.parent = stand
        stand.keyframe_insert("location", frame=1)
    elif by == "constraint":
        armature.constraints.new("COPY_ROTATION").target = stand
    else:
        armature.driver_add("location", 1).driver.expression = "frame"
    bpy.context.view_layer.update()
    rules = [one.rule for one in checked(exported_so(load_profile("threejs"), settings))]
    assert rules.count("armature-between-keys") == 1
