"""three.js loads what Blender exports, and puts every vertex where we predict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.core.profiles.profile import Profile
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.engines.engine_check import RIGS, SHARE_OF_DIAGONAL, check_against
from tests.engines.engine_table import ENGINES
from tests.engines.exported_rig import Expected
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RandomRig, RigOptions

pytestmark = [pytest.mark.engines, pytest.mark.usefixtures("threejs")]


FLATTENED: dict[str, object] = {
    "export_all_influences": True,
    "export_def_bones": True,
    "export_hierarchy_flatten_bones": True,
}
"""Settings that help rigs whose local matrices shear."""


def flattened(profile: Profile) -> Profile:
    return exported_so(profile, FLATTENED)


def check_against_threejs(folder: Path, profile: Profile, device: str, **options: object) -> Expected:
    return check_against(ENGINES["threejs"], folder, profile, device, **options)


@pytest.mark.rigs
@pytest.mark.parametrize("rig", RIGS)
def test_every_vertex_of_a_rig(rigs_folder: Path, tmp_path: Path, rig: str):
    open_rig(rigs_folder / rig)
    check_against_threejs(tmp_path, load_profile("threejs"), "cpu")


@pytest.mark.rigs
@pytest.mark.gpu
@pytest.mark.parametrize("rig", ["mpfb_rigify_plain.blend", "m2m_bird.blend"])
def test_every_vertex_of_a_rig_skinned_on_the_gpu(rigs_folder: Path, tmp_path: Path, rig: str):
    open_rig(rigs_folder / rig)
    check_against_threejs(tmp_path, load_profile("threejs"), "gpu")


@pytest.mark.rigs
def test_shear_in_the_hierarchy_is_what_rigify_suffers_from(rigs_folder: Path, tmp_path: Path):
    path = rigs_folder / "mpfb_rigify_plain.blend"
    open_rig(path)
    usual = check_against_threejs(tmp_path, load_profile("threejs"), "cpu")
    assert usual.deviations_from_blender.max() == pytest.approx(0.130, abs=0.005)
    open_rig(path)
    cured = check_against_threejs(tmp_path, flattened(load_profile("threejs")), "cpu", **FLATTENED)
    assert cured.deviations_from_blender.max() < 0.01


def test_whatever_blender_does_that_gets_lost(tmp_path: Path, what_gets_lost: RigOptions):
    animated_rig(what_gets_lost)
    expected = check_against_threejs(tmp_path, load_profile("threejs"), "cpu")
    assert expected.deviations_from_blender.max() > 1e-3


@pytest.mark.parametrize(
    "settings",
    [
        {"export_influence_nb": 6},
        {"export_all_influences": True},
        {"export_def_bones": True, "export_hierarchy_flatten_bones": True},
        {"export_apply": True, "export_reset_pose_bones": False},
    ],
    ids=str,
)
def test_a_users_own_export_settings(tmp_path: Path, settings: dict[str, object]):
    animated_rig(RigOptions(seed=4, influences=7))
    check_against_threejs(tmp_path, exported_so(load_profile("threejs"), settings), "cpu", **settings)


def test_fewer_influences_and_deform_bones_alone(tmp_path: Path):
    profile = load_profile("threejs")
    for influences in (1, 3):
        animated_rig(RigOptions(seed=influences, influences=8))
        exporter = replace(profile.exporter, influences=influences, deform_bones_only=True)
        check_against_threejs(
            tmp_path,
            replace(profile, exporter=exporter),
            "cpu",
            export_influence_nb=influences,
            export_def_bones=True,
        )


def test_vertices_without_weight_stay_with_the_mesh(tmp_path: Path):
    rig = animated_rig(RigOptions(seed=11))
    for group in rig.mesh.vertex_groups:
        group.remove(list(range(40)))
    bpy.context.view_layer.update()
    check_against_threejs(tmp_path, load_profile("threejs"), "cpu")


def call_bones_alike(rig: RandomRig) -> None:
    """Give two bones, and their groups, names that are the same to three.js."""
    rig.armature.data.bones[1].name, rig.armature.data.bones[4].name = "Hand.L", "HandL"


@pytest.mark.parametrize(
    "flaw",
    [
        lambda rig: setattr(rig.armature, "scale", (1, 1, 2)),
        lambda rig: setattr(rig.armature, "scale", (0.01, 0.01, 0.01)),
        lambda rig: setattr(rig.armature, "scale", (-1, 1, 1)),
        lambda rig: setattr(rig.mesh, "scale", (1, 3, 1)),
        lambda rig: setattr(rig.mesh, "scale", (1, -1, 1)),
        call_bones_alike,
    ],
    ids=("uneven", "hundredth", "mirrored", "uneven mesh", "mirrored mesh", "names"),
)
def test_flaws_that_by_themselves_deform_nothing(tmp_path: Path, flaw: Callable[[RandomRig], object]):
    rig = animated_rig(RigOptions(seed=12, influences=3, scale="none"))
    without_flaws(rig)
    flaw(rig)
    bpy.context.view_layer.update()
    expected = check_against_threejs(tmp_path, load_profile("threejs"), "cpu")
    assert expected.deviations_from_blender.max() <= SHARE_OF_DIAGONAL
