"""A character of many small meshes: shared data is read once per instant, not per mesh, profile and cause."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from math import sin
from pathlib import Path

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.weight_rules import WeightRule
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.check.frame_choice import FrameChoice
from skinning_addon.measurement.check.report import FileReport, MeshReport
from skinning_addon.measurement.frame.mesh_measurement import MeshMeasurement
from skinning_addon.measurement.profiles.profile_scan import ProfileScan
from skinning_addon.scene.armatures import armature_reader, profiled_reading
from skinning_addon.scene.binding import binding_reader
from skinning_addon.scene.clips.playback import ScenePlayback
from skinning_addon.scene.copies.isolated_scene import IsolatedScene
from skinning_addon.scene.files import open_file

FRAMES = 3


def character(meshes: int, *, shape_keys: bool = False) -> None:
    """Add an armature that plays three frames, and so many small tubes that it deforms."""
    armature = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for number in range(3):
        bone = armature.data.edit_bones.new(f"bone{number}")
        bone.head, bone.tail, bone.parent = (0, 0, number), (0, 0, number + 1), parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame in range(1, FRAMES + 1):
        for number, bone in enumerate(armature.pose.bones):
            bone.rotation_mode = "XYZ"
            bone.rotation_euler = (0.4 * sin(frame + number), 0.3 * frame / FRAMES, 0.2 * number)
            bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, FRAMES
    for number in range(meshes):
        mesh = bpy.data.meshes.new(f"part {number}")
        corners = ((0.1, 0), (0, 0.1), (-0.1, -0.1))
        mesh.from_pydata(
            [(x, y, 3 * (number + row) / (meshes + 1)) for row in range(2) for x, y in corners],
            [],
            [(0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)],
        )
        part = bpy.data.objects.new(f"part {number}", mesh)
        bpy.context.scene.collection.objects.link(part)
        part.modifiers.new("Armature", "ARMATURE").object = armature
        for bone in range(3):
            group = part.vertex_groups.new(name=f"bone{bone}")
            for vertex in mesh.vertices:
                group.add([vertex.index], max(0.0, 1 - abs(vertex.co.z - bone - 0.5) / 1.5), "REPLACE")
        if shape_keys:
            part.shape_key_add(name="Basis")
            wide = part.shape_key_add(name="Wide")
            for point in wide.data:
                point.co.x *= 1.5
            for frame in range(1, FRAMES + 1):
                wide.value = frame / FRAMES
                wide.keyframe_insert("value", frame=frame)


def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count reads of the scene from now on."""
    counts: Counter[str] = Counter()

    def count(owner: object, name: str) -> None:
        original: Callable[..., object] = getattr(owner, name)

        def counting(*arguments: object, **named: object) -> object:
            counts[name] += 1
            return original(*arguments, **named)

        monkeypatch.setattr(owner, name, counting)

    count(profiled_reading, "pose_through")
    count(armature_reader, "read_armature")
    count(armature_reader.ArmatureReader, "read_to_root")
    count(IsolatedScene, "evaluated")
    count(MeshMeasurement, "posed")
    count(WeightRule, "__call__")
    count(MeshMeasurement, "_bound")
    count(binding_reader, "skin_at")
    return counts


def keyed(
    owner: bpy.types.ID | bpy.types.Modifier | bpy.types.ShapeKey, name: str, values: tuple[object, ...]
) -> None:
    for frame, value in enumerate(values, 1):
        setattr(owner, name, value)
        owner.keyframe_insert(name, frame=frame)


def report_of(profiles: tuple[str, ...], frames: int = FRAMES) -> FileReport:
    chosen = tuple(load_profile(name) for name in profiles)
    settings = CheckSettings("cpu", frames_of=FrameChoice(1, frames, 1).frames_of, profiles=chosen)
    return check_scene(bpy.context.scene, "character.blend", settings)


def figures(one: MeshReport) -> tuple[object, ...]:
    """Return what does not depend on the size of the whole character."""
    worst = one.worst
    return (
        *(worst.max, worst.rms, worst.p99, worst.worst_vertex, worst.clip, worst.frame, worst.frames),
        *(worst.bone, worst.along_normal, worst.tangential, worst.pop, worst.normals),
    )


def check(profiles: tuple[str, ...] = ("blender", "threejs", "unreal"), frames: int = FRAMES) -> None:
    report = report_of(profiles, frames)
    assert {one.worst.frames for one in report.meshes} == {frames}
    assert all(one.passed for one in report.meshes if one.profile == "blender")


def test_a_scan_of_shape_keys_leaves_nothing_that_saving_complains_about(tmp_path: Path):
    character(1, shape_keys=True)
    scene, part = bpy.context.scene, bpy.data.objects["part 0"]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    scan = ProfileScan(scene, depsgraph, [part], [load_profile("threejs")], [ScenePlayback(1, FRAMES)])
    for _ in scan.steps():
        pass
    assert [one.user for one in bpy.data.shape_keys] == [part.data]
    # Blender would raise its errors here.
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scanned.blend"))


def test_causes_that_engines_share_are_skinned_once(monkeypatch: pytest.MonkeyPatch):
    meshes = 2
    character(meshes)
    counts = counted(monkeypatch)
    apart = 0
    for one in ("threejs", "godot4"):
        check((one,))
        apart += counts.pop("posed")
    check(("threejs", "godot4"))
    # The exact mesh, and bones held as translation, rotation and scale; more where weights are treated alike.
    assert counts["posed"] <= apart - 2 * meshes


@pytest.mark.parametrize("meshes", [2, 7])
def test_a_pose_is_read_once_a_frame_and_a_clip_sent_through_each_hierarchy_once(
    meshes: int, monkeypatch: pytest.MonkeyPatch
):
    character(meshes)
    counts = counted(monkeypatch)
    check()
    # The only action keys every bone, so all three play alike. Which keys FBX keeps takes the whole clip first,
    # and what the scene shows.
    assert counts["read_to_root"] == FRAMES * 2 + 1
    # Blender's own, three.js's, Unreal's, and each of Unreal's two causes: the first frame, and then all.
    assert counts["pose_through"] == 2 * 5
    assert counts["read_armature"] == 1


def test_a_rule_for_weights_runs_as_often_for_many_meshes_as_for_few(monkeypatch: pytest.MonkeyPatch):
    runs: list[int] = []
    for meshes in (2, 7):
        bpy.ops.wm.read_homefile(use_empty=True)
        character(meshes)
        with monkeypatch.context() as patch:
            counts = counted(patch)
            check()
        runs.append(counts["__call__"])
    assert runs[0] == runs[1] > 0


def test_causes_that_change_no_weights_have_the_skin_of_the_exact_mesh(monkeypatch: pytest.MonkeyPatch):
    character(1)
    counts = counted(monkeypatch)
    check(("threejs", "unreal"))
    # three.js's shear, and Unreal's scales and simplified keys, concern only poses.
    assert counts["skin_at"] <= counts["_bound"] - 3


def test_a_mesh_that_stands_still_is_read_in_full_once_a_clip(monkeypatch: pytest.MonkeyPatch):
    character(2)
    counts = counted(monkeypatch)
    check()
    at_all_frames = counts.pop("posed")
    check(frames=1)
    assert counts["posed"] == at_all_frames


def test_shape_keys_that_move_vertices_bind_nothing_again(monkeypatch: pytest.MonkeyPatch):
    character(2, shape_keys=True)
    counts = counted(monkeypatch)
    check(frames=1)
    at_one_frame = counts.pop("skin_at")
    check()
    assert counts["skin_at"] == at_one_frame


def test_a_mesh_that_moves_among_its_bones_is_read_in_full_at_each_frame(monkeypatch: pytest.MonkeyPatch):
    character(1)
    part = bpy.data.objects["part 0"]
    for frame in range(1, FRAMES + 1):
        part.location.x = frame
        part.keyframe_insert("location", frame=frame)
    counts = counted(monkeypatch)
    check(("blender",))
    assert counts["posed"] == FRAMES


def test_every_mesh_is_measured_as_if_it_were_alone(tmp_path: Path):
    meshes, names, path = 9, ("blender", "threejs", "unreal"), tmp_path / "rig.blend"
    character(meshes)
    part = [bpy.data.objects[f"part {number}"] for number in range(meshes)]
    part[1].location, part[1].scale = (0.1, 0.2, 0.3), (2, 1, 0.5)
    part[2].modifiers[0].use_deform_preserve_volume = True
    keyed(part[3].modifiers[0], "use_deform_preserve_volume", (False, True, True))
    part[4].hide_viewport = True
    keyed(part[5], "scale", ((1, 1, 1), (1, 1, 1), (0, 0, 0)))
    keyed(part[6], "location", ((0, 0, 0), (1, 0, 0), (1, 0, 0)))
    mirror = part[7].modifiers.new("Mirror", "MIRROR")
    part[7].modifiers.move(1, 0)
    keyed(mirror, "show_viewport", (False, False, True))
    part[0].shape_key_add(name="Basis")
    wide = part[0].shape_key_add(name="Wide")
    for point in wide.data:
        point.co.x *= 1.5
    keyed(wide, "value", (0.2, 0.6, 1.0))
    part[8].data.clear_geometry()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    whole = report_of(names)
    seen = {(one.object, one.profile): figures(one) for one in whole.meshes}
    assert {mesh for mesh, _ in seen} == {f"part {number}" for number in range(meshes - 1)}
    # The judge is Blender's own evaluated mesh.
    assert [one for one in whole.meshes if one.profile == "blender" and not one.passed] == []
    assert [one.worst.frames for one in whole.meshes if one.object == "part 5"] == [2, 2, 2]
    for number in range(meshes - 1):
        open_file(str(path))
        for other in range(meshes):
            if other != number:
                bpy.data.objects.remove(bpy.data.objects[f"part {other}"])
        alone = {(one.object, one.profile): figures(one) for one in report_of(names).meshes}
        assert alone == {key: value for key, value in seen.items() if key[0] == f"part {number}"}


@pytest.mark.parametrize("profiles", [("blender",), ("blender", "threejs", "unreal")])
def test_a_mesh_with_shape_keys_is_evaluated_once_a_frame_whatever_the_profiles(
    profiles: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    character(2, shape_keys=True)
    counts = counted(monkeypatch)
    check(profiles)
    at_first = 2
    # Where its vertices have moved, what goes with them is read too.
    plays = min(len(profiles), 2)
    assert counts["evaluated"] <= at_first + 2 * 2 * FRAMES * plays


def test_shape_keys_of_many_meshes_are_evaluated_in_one_scene_a_frame(monkeypatch: pytest.MonkeyPatch):
    opened: Counter[int] = Counter()
    enter = IsolatedScene.__enter__
    for meshes in (2, 8):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        character(meshes, shape_keys=True)

        def entering(scene: IsolatedScene, meshes: int = meshes) -> IsolatedScene:
            opened[meshes] += 1
            return enter(scene)

        monkeypatch.setattr(IsolatedScene, "__enter__", entering)
        check(("blender",))
    # Each is read once in full, and alone where its vertices move for the first time.
    alone = 3
    assert opened[8] - opened[2] <= 6 * alone
    assert opened[2] > FRAMES


def test_meshes_evaluated_in_one_scene_depend_on_each_other_as_in_blender():
    """Each is drawn onto the one before it, as that is after its own armature, before its own deforms it."""
    character(4, shape_keys=True)
    part = [bpy.data.objects[f"part {number}"] for number in range(4)]
    for target, one in pairwise(part):
        drawn = one.modifiers.new("Onto", "SHRINKWRAP")
        drawn.target, drawn.offset = target, 0.05
        one.modifiers.move(1, 0)
    check(("blender", "threejs"))
