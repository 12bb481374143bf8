"""Which bone's matrices are shown and copied. Their values are tested in
tests/scene/armatures/test_bone_matrices.py.
"""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from skinning_addon.ui.inspect.bone_focus import bone_in_focus, read_bone_in_focus
from skinning_addon.ui.inspect.matrix_panel import written_matrices
from tests.scene.random_rig import RigOptions, random_rig


@pytest.fixture
def rig(session):  # noqa: ARG001 - registers the properties
    rig = random_rig(RigOptions(seed=2, transformed=True))
    rig.pose()
    rig.armature.data.bones.active = next(bone for bone in rig.armature.data.bones if bone.parent)
    bpy.context.view_layer.objects.active = rig.mesh
    return rig


def test_the_active_mesh_leads_to_its_armatures_active_bone(rig):
    focus = bone_in_focus(bpy.context)
    assert (focus.armature, focus.name) == (rig.armature, rig.armature.data.bones.active.name)
    assert focus.mesh_object == rig.mesh


def test_with_the_armature_active_the_mesh_is_one_that_is_previewed_or_selected(session, rig):
    bpy.context.view_layer.objects.active = rig.armature
    rig.mesh.select_set(False)
    assert bone_in_focus(bpy.context).mesh_object is None
    rig.mesh.select_set(True)
    assert bone_in_focus(bpy.context).mesh_object == rig.mesh
    rig.mesh.select_set(False)
    session.start(rig.mesh, bpy.context.evaluated_depsgraph_get())
    assert bone_in_focus(bpy.context).mesh_object == rig.mesh


def test_without_an_active_bone_it_says_what_to_select(rig):
    rig.armature.data.bones.active = None
    assert bone_in_focus(bpy.context) is None
    with pytest.raises(RuntimeError, match="select a bone"):
        bpy.ops.skinscope.copy_matrices()


def test_a_joint_beyond_the_last_is_the_last(rig):
    bone = rig.armature.data.bones.active
    bone.bbone_segments = 3
    bpy.context.view_layer.update()
    bpy.context.scene.skinscope.matrices.joint = 30
    focus = bone_in_focus(bpy.context)
    assert focus.joints == 4
    last = read_bone_in_focus(bpy.context, focus)
    bpy.context.scene.skinscope.matrices.joint = 3
    assert read_bone_in_focus(bpy.context, focus).to_root == pytest.approx(last.to_root)


def test_copied_python_gives_blenders_own_matrix_back(rig):
    copied = copied_text(as_python=True, vectors="COLUMN")
    said = {"__builtins__": {}}
    exec(copied, said)  # noqa: S102 - it is Python that is promised
    bone = rig.armature.pose.bones[rig.armature.data.bones.active.name]
    assert np.array(Matrix(said["to_root"])) == pytest.approx(np.array(bone.matrix), abs=1e-6)
    head = Matrix(said["rest_to_root"]) @ Vector((0, 0, 0))
    assert np.array(head) == pytest.approx(np.array(bone.bone.head_local), abs=1e-6)


def test_copied_text_names_what_it_is(rig):
    copied = copied_text(as_python=False, vectors="ROW")
    first = copied.splitlines()[0]
    for part in (rig.armature.name, rig.armature.data.bones.active.name, rig.mesh.name, "row vectors, Z up"):
        assert part in first
    for name in ("to_parent", "to_root", "rest_to_root", "offset", "final"):
        assert f"\n{name}\n" in copied


def copied_text(*, as_python, vectors) -> str:
    """What goes to the clipboard, which Blender lacks in the background."""
    bpy.context.scene.skinscope.matrices.vectors = vectors
    return written_matrices(bpy.context, bone_in_focus(bpy.context), as_python=as_python)
