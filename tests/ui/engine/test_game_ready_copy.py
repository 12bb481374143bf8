"""The operator that makes a game-ready copy: what it reports, and that it leaves nothing half made."""

from __future__ import annotations

import itertools
import re

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.measurement.profiles.game_ready import GameReadyWork
from skinning_addon.scene.clips.clips import list_clips
from tests.command_line.rig_files import animated_rig
from tests.scene.random_rig import RigOptions
from tests.ui.engine.made_data import all_data, copied_and_undone


@pytest.fixture
def cast(session):  # noqa: ARG001 - registers the operators
    rig = animated_rig(RigOptions(influences=8, scale="none"))
    bpy.context.view_layer.objects.active = rig.mesh
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 12
    bpy.context.scene.skinscope.profiles.profile = "threejs"
    return rig


def test_it_says_how_far_off_the_engine_is_before_and_after(cast, capfd):
    assert bpy.ops.skinscope.game_ready_copy() == {"FINISHED"}
    told = capfd.readouterr().out
    assert f"'{cast.armature.name} game-ready' made with" in told
    assert "three.js is off by" in told
    copy = bpy.context.active_object
    assert copy.name == f"{cast.armature.name} game-ready"
    assert [one.name for one in bpy.context.selected_objects] == [copy.name]
    (mesh,) = (one for one in copy.users_collection[0].objects if one.type == "MESH")
    bones = {group.index for group in mesh.vertex_groups if group.name in copy.data.bones}
    assert max(sum(one.group in bones for one in vertex.groups) for vertex in mesh.data.vertices) == 4


def test_one_undo_takes_it_away(cast):
    assert cast.mesh is not None
    before, made, after = copied_and_undone()
    assert made != before
    assert after == before


def test_nothing_is_left_wherever_it_is_canceled(cast):
    before = all_data()

    seen = set()
    for count in itertools.count(1, 3):
        steps = GameReadyWork(bpy.context, cast.armature, load_profile("threejs")).steps()
        done = list(itertools.islice(steps, count))
        steps.close()
        if len(done) < count:
            break
        seen.add(str(done[-1].text).split(" ", maxsplit=1)[0])
        assert all_data() == before
    assert seen == {"Measuring", "Recording", "Comparing"}


def test_a_copy_has_its_own_clips_and_the_original_its_own(cast):
    scene = bpy.context.scene
    clips = [clip.name for clip in list_clips(scene, [cast.armature])]
    bpy.ops.skinscope.game_ready_copy()
    copy = bpy.context.active_object
    assert [clip.name for clip in list_clips(scene, [bpy.data.objects[cast.armature.name]])] == clips
    assert [clip.name for clip in list_clips(scene, [copy])] == clips


def test_a_copy_is_not_copied(cast):
    """It is active once it is made."""
    bpy.ops.skinscope.game_ready_copy()
    copy = bpy.context.active_object.name
    before = all_data()
    for one in bpy.context.active_object.users_collection[0].objects:
        bpy.context.view_layer.objects.active = one
        with pytest.raises(RuntimeError, match=f"'{copy}' is a game-ready copy; make its original active"):
            bpy.ops.skinscope.game_ready_copy()
    assert all_data() == before
    original = bpy.data.objects[cast.armature.name]
    original.hide_set(False)
    bpy.context.view_layer.objects.active = original
    assert bpy.ops.skinscope.game_ready_copy() == {"FINISHED"}


def test_without_an_armature_the_button_says_what_to_do(cast):
    assert cast.mesh is not None
    bpy.context.view_layer.objects.active = None
    for one in list(bpy.data.objects):
        bpy.data.objects.remove(one)
    with pytest.raises(RuntimeError, match="Make an armature active, or a mesh that one deforms"):
        bpy.ops.skinscope.game_ready_copy()


@pytest.mark.parametrize("scale", [(0.0, 0.0, 0.0), (0.0, 1.0, 1.0)])
@pytest.mark.parametrize("fit", [True, False])
def test_an_armature_that_is_scaled_to_zero_is_refused(cast, scale, fit):
    cast.armature.scale = scale
    bpy.context.view_layer.update()
    name = cast.armature.name
    refused(fit, f"'{name}' is scaled to zero along an axis, so it can't be skinned; scale it up.")


@pytest.mark.parametrize("fit", [True, False])
def test_two_armature_modifiers_for_one_armature_are_refused(cast, fit):
    mesh, armature = cast.mesh, cast.armature
    second = mesh.modifiers.new("Second", "ARMATURE")
    second.object = armature
    more_than_one = f"'{mesh.name}' has more than one Armature modifier for '{armature.name}'; apply or remove all but one."
    refused(fit, more_than_one)
    # What is switched off deforms nothing.
    second.show_viewport = False
    assert bpy.ops.skinscope.game_ready_copy(fit_weights=False) == {"FINISHED"}


def test_an_armature_that_deforms_as_parent_and_by_a_modifier_is_refused(cast):
    mesh, armature = cast.mesh, cast.armature
    mesh.parent, mesh.parent_type = armature, "ARMATURE"
    bpy.context.view_layer.update()
    refused(
        False,
        f"'{mesh.name}' is deformed by '{armature.name}' both as its parent and by a modifier; remove one",
    )


def refused(fit: bool, sentence: str) -> None:
    """See that no copy is made, nor another Blender started for a fit, and that the sentence says why."""
    before = all_data()
    with pytest.raises(RuntimeError, match=re.escape(sentence)):
        bpy.ops.skinscope.game_ready_copy(fit_weights=fit)
    assert all_data() == before
