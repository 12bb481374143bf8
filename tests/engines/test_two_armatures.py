"""Of two armatures on one mesh, glTF and USD files hold one: which one, each exporter decides in its own way. FBX
files hold both, as two skins, so there the reader decides.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.engines.capture import Engine
from tests.engines.engine_check import SHARE_OF_DIAGONAL, capture_of_scene
from tests.engines.exported_rig import Expected
from tests.engines.exported_usd import capture_of_scene as captured_in_usd
from tests.scene.random_rig import RigOptions

pytestmark = [pytest.mark.engines, pytest.mark.parametrize("parent", ["none", "first", "last"])]


def build(parent: str) -> None:
    """Add a second armature, elsewhere, to a rig; every other group is for its bones. parent: which of the two
    the mesh is a child of.
    """
    rig = animated_rig(RigOptions(seed=21, influences=4, scale="none"))
    without_flaws(rig)
    other = rig.armature.copy()
    other.data = rig.armature.data.copy()
    other.animation_data.action = rig.armature.animation_data.action.copy()
    bpy.context.scene.collection.objects.link(other)
    other.location = (0.3, 0.0, 0.2)
    names = [bone.name for bone in other.data.bones]
    for name in names:
        other.data.bones[name].name = f"other {name}"
    for name in names[::2]:
        if name in rig.mesh.vertex_groups:
            rig.mesh.vertex_groups[name].name = f"other {name}"
    rig.mesh.modifiers.new("Second", "ARMATURE").object = other
    if parent != "none":
        rig.mesh.parent = {"first": rig.armature, "last": other}[parent]
        rig.mesh.matrix_parent_inverse = rig.mesh.parent.matrix_world.inverted()
    bpy.context.view_layer.update()


def check(expected: Expected, deviations: np.ndarray) -> None:
    assert deviations.max() <= SHARE_OF_DIAGONAL
    assert expected.deviations_from_blender.max() > 0.1


def test_gltf_has_the_one_that_the_mesh_is_a_child_of(tmp_path: Path, threejs: Engine, parent: str):
    build(parent)
    check(*capture_of_scene(threejs, tmp_path, load_profile("threejs"), "cpu"))


def test_usd_has_the_first(tmp_path: Path, usd: Engine, parent: str):
    build(parent)
    check(*captured_in_usd(usd, tmp_path, load_profile("usd")))
