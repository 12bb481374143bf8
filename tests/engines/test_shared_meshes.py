"""Objects that share a mesh, in an FBX file as ufbx reads it."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.engines.partly_keyed import world_positions
from tests.engines.ufbx_judge import Ufbx
from tests.scene.random_rig import RigOptions

pytestmark = [pytest.mark.engines, pytest.mark.processes]

APART = 8.0


def two_objects(
    *, mirrored: bool = False, own_rig: float | None = None, apart: float = APART, rig_name: str = ""
) -> None:
    """Build two objects of one mesh. mirrored: whether the second also has a Mirror modifier. own_rig: where
    it has an armature of its own, called rig_name, if it has. apart: from the first.
    """
    rig = animated_rig(RigOptions(seed=3, influences=4, scale="none"))
    without_flaws(rig)
    second = bpy.data.objects.new("Second", rig.mesh.data)
    bpy.context.scene.collection.objects.link(second)
    armature = rig.armature
    if own_rig is not None:
        armature = rig.armature.copy()
        armature.name = rig_name
        armature.location.x = own_rig
        bpy.context.scene.collection.objects.link(armature)
    second.modifiers.new("Armature", "ARMATURE").object = armature
    second.location.x = apart
    if mirrored:
        second.modifiers.new("Mirror", "MIRROR")
    bpy.context.view_layer.update()


@pytest.mark.parametrize("mirrored", [False, True])
def test_the_file_has_one_skin_for_both(ufbx: Ufbx, tmp_path: Path, *, mirrored: bool):
    two_objects(mirrored=mirrored)
    off, found = measured(ufbx, tmp_path)
    if mirrored:
        assert off["Random mesh"] < 1e-4
        assert not found
    else:
        assert off["Random mesh"] == pytest.approx(APART, abs=1e-4)
        assert found == pytest.approx({"Random mesh": off["Random mesh"]}, abs=1e-4)


@pytest.mark.parametrize("rig_name", ["A rig", "Z rig"])
@pytest.mark.parametrize(("own_rig", "apart"), [(0.0, 0.0), (3.0, 0.0), (0.0, APART), (APART, APART)])
def test_so_it_has_with_armatures_of_their_own(
    ufbx: Ufbx, tmp_path: Path, own_rig: float, apart: float, rig_name: str
):
    two_objects(own_rig=own_rig, apart=apart, rig_name=rig_name)
    off, found = measured(ufbx, tmp_path)
    wrong = {name for name, distance in off.items() if distance > 0.1}
    assert wrong == found.keys()
    assert len(wrong) == (1 if own_rig or apart else 0)


def measured(ufbx: Ufbx, tmp_path: Path) -> tuple[dict[str, float], dict[str, float | None]]:
    """Return how far ufbx shows both objects off at a frame, and what the findings say."""
    path = tmp_path / "two.fbx"
    scene = {"bake_anim_use_nla_strips": False, "bake_anim_use_all_actions": False}
    bpy.ops.export_scene.fbx(filepath=str(path), bake_anim_simplify_factor=0, **scene)
    bpy.context.scene.frame_set(5)
    captured = ufbx.capture(path, [5 / 24], tmp_path)
    off: dict[str, float] = {}
    for name in ("Random mesh", "Second"):
        wanted, shown = world_positions(bpy.data.objects[name]), captured.positions[name][0]
        if len(wanted) == len(shown):
            off[name] = float(np.linalg.norm(shown - wanted, axis=1).max())
    settings = CheckSettings("cpu", profiles=(load_profile("unity-unlimited"),))
    report = check_scene(bpy.context.scene, "two", settings)
    return off, {one.object: one.deviation for one in report.findings if one.rule == "mesh-shared-in-fbx"}
