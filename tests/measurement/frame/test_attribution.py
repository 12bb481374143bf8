"""Each cause has the effect that Blender itself shows when that one thing is changed in the rig."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.profile import Beyond, FileFormat, PaletteLimits, Profile
from skinning_addon.core.verdicts.finding import Finding
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.check.report import FileReport
from tests.command_line.rig_files import KEYED_FRAMES, animated_rig
from tests.scene.random_rig import RandomRig, RigOptions


def checked(profile: Profile, frames: Sequence[float] = KEYED_FRAMES) -> FileReport:
    settings = CheckSettings("cpu", profiles=(profile,), frames_of=lambda _: frames)
    return check_scene(bpy.context.scene, "rig", settings)


def of_rule(report: FileReport, rule: str) -> Finding:
    (finding,) = [one for one in report.findings if one.rule == rule]
    return finding


def blender_positions(rig: RandomRig) -> np.ndarray:
    """Return Blender's own result at the keyed frames, (F, V, 3)."""
    found = []
    for frame in KEYED_FRAMES:
        bpy.context.scene.frame_set(frame)
        mesh = rig.mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
        positions = np.empty((len(mesh.vertices), 3), dtype=np.float32)
        mesh.vertices.foreach_get("co", positions.reshape(-1))
        found.append(positions.astype(np.float64))
    return np.array(found)


@dataclass(frozen=True)
class Loss:
    """rule: as reported. options: of a rig that has it. undo: what has the same effect in Blender."""

    rule: str
    options: RigOptions
    undo: Callable[[RandomRig], object]


def straighten(rig: RandomRig) -> None:
    for bone in rig.armature.data.bones:
        bone.bbone_segments = 1


def let_all_deform(rig: RandomRig) -> None:
    for bone in rig.armature.data.bones:
        bone.use_deform = True


def ignored_by_blender(rig: RandomRig) -> list[int]:
    """Return the vertices that Blender leaves alone although they have weights."""
    groups, bones = rig.mesh.vertex_groups, rig.armature.data.bones
    found = []
    for vertex in rig.mesh.data.vertices:
        weights = [member.weight for member in vertex.groups if groups[member.group].name in bones]
        if 0 < sum(weights) <= 1e-4:
            found.append(vertex.index)
    return found


def drop_what_blender_ignores(rig: RandomRig) -> None:
    for group in rig.mesh.vertex_groups:
        group.remove(ignored_by_blender(rig))


def modifier_setting(name: str, value: object) -> Callable[[RandomRig], object]:
    return lambda rig: setattr(rig.mesh.modifiers[0], name, value)


LOSSES = (
    Loss("bendy-bones", RigOptions(seed=1, bendy=5), straighten),
    Loss(
        "preserve-volume",
        RigOptions(seed=2, preserve_volume=True),
        modifier_setting("use_deform_preserve_volume", value=False),
    ),
    Loss("masked-modifier", RigOptions(seed=3, mask=True), modifier_setting("vertex_group", "")),
    Loss(
        "envelopes", RigOptions(seed=4, envelopes=True), modifier_setting("use_bone_envelopes", value=False)
    ),
    Loss("non-deform-bones", RigOptions(seed=5), let_all_deform),
    Loss(
        "several-modifiers",
        RigOptions(seed=6, modifiers=2),
        lambda rig: rig.mesh.modifiers.remove(rig.mesh.modifiers[0]),
    ),
)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.rule)
def test_what_is_lost(loss: Loss):
    rig = animated_rig(loss.options)
    finding = of_rule(checked(load_profile("threejs")), loss.rule)
    before = blender_positions(rig)
    loss.undo(rig)
    off = np.linalg.norm(blender_positions(rig) - before, axis=2)
    assert finding.deviation == pytest.approx(off.max(), rel=1e-4)
    index, vertex = np.unravel_index(np.argmax(off), off.shape)
    assert (finding.frame, finding.vertices[0]) == (KEYED_FRAMES[index], vertex)
    assert finding.count == len(finding.vertices)
    assert finding.profile == "threejs"


def test_what_simplify_does_is_said_of_no_other_cause():
    rig = animated_rig(RigOptions(seed=7, influences=3, scale="none"))
    let_all_deform(rig)
    drop_what_blender_ignores(rig)
    report = checked(load_profile("unity-unlimited"), range(1, 10))
    (finding,) = [one for one in report.findings if one.profile]
    assert finding.rule == "animation-simplified"
    assert finding.deviation == pytest.approx(report.meshes[0].worst.max, abs=1e-6)


def test_too_many_influences():
    rig = animated_rig(RigOptions(seed=7, influences=7, scale="none"))
    let_all_deform(rig)
    drop_what_blender_ignores(rig)
    report = checked(load_profile("unity-2"))
    finding = of_rule(report, "influence-limit")
    before = blender_positions(rig)
    groups = rig.mesh.vertex_groups
    for vertex in rig.mesh.data.vertices:
        of_bones = [
            member for member in vertex.groups if groups[member.group].name in rig.armature.data.bones
        ]
        members = [(member.weight, member.group) for member in of_bones]
        for _, group in sorted(members, reverse=True)[2:]:
            groups[group].remove([vertex.index])
    off = np.linalg.norm(blender_positions(rig) - before, axis=2)
    assert finding.deviation == pytest.approx(off.max(), rel=1e-4)
    # It is all that this profile does: the mesh is off by just as much, and nothing remains.
    assert report.meshes[0].worst.max == pytest.approx(finding.deviation, rel=1e-4)
    assert "remainder" not in {one.rule for one in report.findings}


def test_weights_that_blender_ignores_and_a_file_holds():
    rig = animated_rig(RigOptions(seed=7, influences=3, scale="none"))
    let_all_deform(rig)
    finding = of_rule(checked(load_profile("unity-unlimited")), "ignored-weights")
    assert sorted(finding.vertices) == ignored_by_blender(rig)


def test_a_cause_that_the_rig_does_not_have_is_not_reported():
    rig = animated_rig(RigOptions(seed=8, influences=3, scale="none"))
    let_all_deform(rig)
    report = checked(load_profile("threejs"))
    assert [one for one in report.findings if one.profile] == []
    assert report.passed


def test_causes_act_on_one_another():
    """A limit on vertices in bendy bones: neither alone gives what both do."""
    animated_rig(RigOptions(seed=9, bendy=4, influences=8))
    rules = [one.rule for one in checked(load_profile("threejs")).findings]
    assert {"bendy-bones", "influence-limit", "non-deform-bones", "remainder"} <= set(rules)


def test_weights_that_stay_unnormalised():
    rig = animated_rig(RigOptions(seed=10, influences=3, scale="none"))
    let_all_deform(rig)
    bevy = load_profile("bevy")
    profile = replace(bevy, exporter=replace(bevy.exporter, format=FileFormat.FBX, influences=None))
    report = checked(profile)
    finding = of_rule(report, "not-normalised")
    assert finding.deviation == pytest.approx(report.meshes[0].worst.max, rel=1e-4)


def test_more_joints_than_a_palette_holds():
    animated_rig(RigOptions(seed=11))
    profile = load_profile("d3d9-four-matrix")
    finding = of_rule(checked(profile), "palette-size")
    assert (
        "needs 10 joints, but DirectX 9 SkinnedMesh, four matrices supports 4 per draw call"
        in finding.message
    )


def test_materials_that_each_fit_a_palette_need_no_split():
    """A draw call has one material: 10 joints are too many for 6 entries, and 5 on either side are not."""

    def halved(materials: int) -> set[str]:
        rig = animated_rig(RigOptions(seed=11))
        let_all_deform(rig)
        mesh = rig.mesh
        mesh.data.clear_geometry()
        faces = [(one, one + 1, one + 31) for one in (*range(118), *range(150, 268))]
        mesh.data.from_pydata([(one % 30, one // 30, 0) for one in range(300)], [], faces)
        mesh.vertex_groups.clear()
        for index in range(10):
            # A bone for each row of the sheet.
            row = mesh.vertex_groups.new(name=f"bone {index}")
            row.add(range(30 * index, 30 * index + 30), 1.0, "REPLACE")
        for number in range(materials):
            mesh.data.materials.append(bpy.data.materials.new(f"Half {number}"))
        for face in mesh.data.polygons:
            face.material_index = int(face.vertices[0] >= 150) if materials > 1 else 0
        small = replace(load_profile("d3d9-26"), palette=PaletteLimits(entries=6))
        return {one.rule for one in checked(small).findings if one.rule == "palette-size"}

    assert halved(1) == {"palette-size"}
    assert halved(2) == set()


def test_more_joints_than_an_index_counts():
    """Two bits count to four: every joint is taken for the one four before it, until it is one of the first
    four.
    """
    rig = animated_rig(RigOptions(seed=11, bones=9, influences=3, scale="none"))
    let_all_deform(rig)
    drop_what_blender_ignores(rig)
    profile = replace(load_profile("unity-unlimited"), palette=PaletteLimits(index_bits=2))
    report = checked(profile)
    finding = of_rule(report, "index-width")
    # With as many at once as the indices count, the mesh is only split.
    enough = replace(profile, palette=PaletteLimits(index_bits=2, entries=4))
    split = {one.rule: one.deviation for one in checked(enough).findings if one.profile}
    assert split.keys() - {"face-exceeds-palette"} == {"palette-size"}
    assert not any(split.values())
    before = blender_positions(rig)
    groups = rig.mesh.vertex_groups
    # All bones are in the palette, in the order of the pose.
    names = [one.name for one in rig.armature.pose.bones]
    assert len(names) == 9
    for vertex in rig.mesh.data.vertices:
        for group, weight in [(groups[one.group], one.weight) for one in vertex.groups]:
            if group.name in names[4:]:
                group.remove([vertex.index])
                groups[names[names.index(group.name) % 4]].add([vertex.index], weight, "ADD")
    off = np.linalg.norm(blender_positions(rig) - before, axis=2)
    assert finding.deviation == pytest.approx(off.max(), rel=1e-4)
    assert report.meshes[0].worst.max == pytest.approx(finding.deviation, rel=1e-4)


def test_bones_beyond_a_palette_leave_their_vertices_at_rest():
    """What the shader leaves at rest, Blender does where those vertices have no weights."""
    rig = animated_rig(RigOptions(seed=11, bones=9, influences=3, scale="none"))
    let_all_deform(rig)
    drop_what_blender_ignores(rig)
    profile = replace(load_profile("unity-unlimited"), palette=PaletteLimits(entries=4, beyond=Beyond.REST))
    report = checked(profile)
    finding = of_rule(report, "palette-overflow")
    assert not {"palette-size", "face-exceeds-palette"} & {one.rule for one in report.findings}
    before = blender_positions(rig)
    names = [one.name for one in rig.armature.data.bones]
    groups = rig.mesh.vertex_groups
    at_rest = [
        vertex.index
        for vertex in rig.mesh.data.vertices
        if any(member.weight and groups[member.group].name in names[4:] for member in vertex.groups)
    ]
    for group in groups:
        group.remove(at_rest)
    off = np.linalg.norm(blender_positions(rig) - before, axis=2)
    assert finding.deviation == pytest.approx(off.max(), rel=1e-4)
    assert report.meshes[0].worst.max == pytest.approx(finding.deviation, rel=1e-4)


def test_vertices_that_a_shader_adds_up_nothing_for():
    rig = animated_rig(RigOptions(seed=12))
    lost = [3, 5, 8]
    for group in rig.mesh.vertex_groups:
        group.remove(lost)
    finding = of_rule(checked(load_profile("learnopengl")), "not-drawn")
    without = [
        vertex.index
        for vertex in rig.mesh.data.vertices
        if not any(
            member.weight and rig.armature.data.bones[name].use_deform
            for member in vertex.groups
            if (name := rig.mesh.vertex_groups[member.group].name) in rig.armature.data.bones
        )
    ]
    assert set(lost) <= set(finding.vertices)
    assert set(without) <= set(finding.vertices)
    assert finding.deviation == 0
    assert "not-drawn" not in {one.rule for one in checked(load_profile("threejs")).findings}


def test_default_tolerance_is_a_millimetre_for_a_figure_of_a_height():
    rig = animated_rig(RigOptions(seed=12))
    heights = [vertex.co.z for vertex in rig.mesh.data.vertices]
    report = checked(load_profile("threejs"))
    tolerance = report.meshes[0].tolerance
    assert not tolerance.relative
    assert tolerance.value == pytest.approx(0.001 * (max(heights) - min(heights)) / 1.8, rel=5e-3)


def test_how_a_deviation_behaves_over_time():
    rig = animated_rig(RigOptions(seed=13))
    report = checked(load_profile("threejs"))
    worst = report.meshes[0].worst
    before = blender_positions(rig)
    assert worst.run == len(before)
    assert worst.max**2 == pytest.approx(worst.along_normal**2 + worst.tangential**2, rel=1e-6)
    assert 0 < worst.pop <= 2 * worst.max
    assert 0 < worst.surface <= 1
    assert worst.bone in rig.armature.data.bones
