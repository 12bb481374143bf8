"""Why a fix is refused, or a finding can't be shown, is a sentence that fits the case."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.ui.engine.verdict_operators import report_in_focus
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.scene.random_rig import RigOptions


def check(profile: str) -> None:
    bpy.context.scene.skinscope.profiles.profile = profile
    assert bpy.ops.skinscope.profile_check("EXEC_DEFAULT") == {"FINISHED"}


@pytest.fixture
def clean(session):  # noqa: ARG001 - registers the operators
    rig = animated_rig(RigOptions(seed=12, influences=3, scale="none"))
    without_flaws(rig)
    bpy.context.view_layer.objects.active = rig.mesh
    return rig


@pytest.mark.usefixtures("clean")
def test_what_is_exact_needs_no_fix():
    check("threejs")
    with pytest.raises(RuntimeError, match="Nothing to fix: what was checked deforms as in Blender"):
        bpy.ops.skinscope.verdict_fix()


@pytest.mark.usefixtures("clean")
def test_a_cause_without_a_fix_is_named():
    own = bpy.context.scene.skinscope.profiles.exporter
    own.use_own, own.bake_anim_simplify_factor = True, 0.0
    # It stores weights with less precision.
    check("unreal")
    cause = report_in_focus(bpy.context).cause
    assert cause is not None
    assert not cause.fix
    with pytest.raises(RuntimeError, match=r"No button fixes '.+', the largest cause; Findings says more"):
        bpy.ops.skinscope.verdict_fix()


def test_a_mesh_that_is_only_instanced_is_not_called_gone(session):  # noqa: ARG001 - registers the operators
    rig = animated_rig(RigOptions(seed=3, influences=8, scale="none"))
    without_flaws(rig)
    scene, dropped = bpy.context.scene, bpy.data.collections.new("Dropped")
    for one in (rig.mesh, rig.armature):
        scene.collection.objects.unlink(one)
        dropped.objects.link(one)
    instance = bpy.data.objects.new("Instance", None)
    instance.instance_type, instance.instance_collection = "COLLECTION", dropped
    scene.collection.objects.link(instance)
    bpy.context.view_layer.update()
    check("threejs")
    for operator in ("finding_select", "finding_jump", "verdict_fix"):
        with pytest.raises(RuntimeError, match="only instanced in this scene; make the instance real"):
            getattr(bpy.ops.skinscope, operator)()
    bpy.data.objects.remove(rig.mesh)
    with pytest.raises(RuntimeError, match="no longer exists"):
        bpy.ops.skinscope.finding_select()
