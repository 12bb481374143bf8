"""`export`: the whole hierarchy, including what bones carry besides skins, and what is left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from tests.command_line.bundles import read_bundle, read_folder, read_parts, read_skeletons
from tests.command_line.conftest import Program
from tests.command_line.rig_files import rig_file
from tests.scene.random_rig import RandomRig, RigOptions

FRAMES = (1, 4, 9)
WITHOUT_WEIGHT = ("bone 1", "bone 4", "bone 8")


def box(name: str, parent: bpy.types.Object | None = None, bone: str = "") -> bpy.types.Object:
    """A box that stands somewhere odd below its parent."""
    mesh = bpy.data.meshes.new(name)
    corners = [(x, y, z) for x in (-0.2, 0.1) for y in (0, 0.7) for z in (-0.1, 0.3)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    made = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(made)
    place_below(made, parent, bone)
    return made


def place_below(one: bpy.types.Object, parent: bpy.types.Object | None, bone: str = "") -> None:
    one.parent = parent
    if bone:
        one.parent_type, one.parent_bone = "BONE", bone
    one.location, one.rotation_euler, one.scale = (0.3, -0.2, 0.5), (0.4, 1.1, -0.7), (1.2, 0.8, 1.5)
    one.matrix_parent_inverse = Matrix.LocRotScale((0.1, 0.4, 0), Euler((0.9, 0.1, 0.3)), (1, 1.3, 0.9))


def equip(rig: RandomRig) -> None:
    """Take the weights of some bones away, one of them far up, and have bones carry things."""
    groups = rig.mesh.vertex_groups
    for name in WITHOUT_WEIGHT:
        groups.remove(groups[name])
    sword = box("Sword", rig.armature, "bone 8")
    sword.modifiers.new("Mirror", "MIRROR").use_axis[1] = True
    for name, color in (("Steel", (0.1, 0.2, 0.3, 1)), ("Leather", (0.6, 0.5, 0.4, 1))):
        sword.data.materials.append(bpy.data.materials.new(name))
        bpy.data.materials[name].diffuse_color = color
    sword.data.materials.append(None)
    sword.data.polygons[2].material_index = 1
    box("Gem", sword)
    base = box("Base", rig.armature)
    for frame, turn in ((1, 0.0), (9, 1.5)):
        base.rotation_euler[0] = turn
        base.keyframe_insert("rotation_euler", frame=frame)
    socket = bpy.data.objects.new("Socket", None)
    bpy.context.scene.collection.objects.link(socket)
    place_below(socket, rig.armature, "bone 1")
    rig.armature.pose.bones["bone 2"].custom_shape = box("Widget")
    box("Ground")
    box("Pinned", rig.mesh).parent_type = "VERTEX"


def exported(tmp_path: Path, skinscope: Program, path: Path, *more: object) -> Path:
    out = tmp_path / "out"
    result = skinscope("export", path, "--output", out, "--device", "cpu", "--frames", "1:9", *more)
    assert result.status in (0, 1), result.complaints
    return out


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return rig_file(tmp_path / "rig.blend", RigOptions(seed=3, bones=10, transformed=True), equip)


def at_frames(path: Path, read: Callable[[], dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """What Blender says at some frames, one after another."""
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    found = []
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        found.append(read())
    return {name: np.stack([one[name] for one in found]) for name in found[0]}


def rows(matrix: Matrix) -> np.ndarray:
    return np.array(matrix).T


def test_every_bone_is_there_with_its_own_parent(tmp_path: Path, skinscope: Program, path: Path):
    out = exported(tmp_path, skinscope, path)
    ((entry, bones, frames),) = read_skeletons(out)
    names = bones["bone_names"].tolist()

    def pose() -> dict[str, np.ndarray]:
        rig = bpy.data.objects["Random"].evaluated_get(bpy.context.evaluated_depsgraph_get())
        posed = [rig.pose.bones[name] for name in names]
        above = [one.parent.matrix.inverted() if one.parent else Matrix() for one in posed]
        return {
            "to_root": np.array([rows(one.matrix) for one in posed]),
            "to_parent": np.array([rows(up @ one.matrix) for up, one in zip(above, posed, strict=True)]),
            "root_to_world": rows(rig.matrix_world),
        }

    truth = at_frames(path, pose)
    data = bpy.data.objects["Random"].data
    assert (entry["armature"], entry["bones"], len(names)) == ("Random", 10, 10)
    assert set(names) == {one.name for one in data.bones} > set(WITHOUT_WEIGHT)
    for bone, name in enumerate(names):
        parent = data.bones[name].parent
        assert bones["parents"][bone] == (names.index(parent.name) if parent else -1) < bone
        assert bones["deforms"][bone] == data.bones[name].use_deform
        assert bones["lengths"][bone] == pytest.approx(data.bones[name].length, rel=1e-6)
        rest = data.bones[name].matrix_local
        assert bones["rest_to_root"][bone] == pytest.approx(rows(rest), abs=1e-6)
        up = parent.matrix_local.inverted() if parent else Matrix()
        assert bones["rest_to_parent"][bone] == pytest.approx(rows(up @ rest), abs=1e-5)
    for name, expected in truth.items():
        assert frames[name][[frame - 1 for frame in FRAMES]] == pytest.approx(expected, abs=2e-5)
    assert frames["attached"].all()
    # The textbook's pass, by hand.
    for frame in range(9):
        to_root: list[np.ndarray] = []
        for bone, parent in enumerate(bones["parents"]):
            local = frames["to_parent"][frame, bone]
            to_root.append(local @ to_root[parent] if parent >= 0 else local)
        assert np.array(to_root) == pytest.approx(frames["to_root"][frame], abs=1e-9)


def test_joints_name_their_bone(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(seed=3, bones=10, bendy=3), equip)
    out = exported(tmp_path, skinscope, path)
    _, meshes = read_bundle(out)
    ((_, bones, posed),) = read_skeletons(out)
    skin, frames = meshes["Random mesh"]
    names = skin["joint_names"].tolist()
    assert not {*WITHOUT_WEIGHT} & {name.partition("[")[0] for name in names}
    assert skin["joint_bones"][0] == -1
    for joint, bone in enumerate(skin["joint_bones"][1:], start=1):
        name = bones["bone_names"][bone]
        assert names[joint].partition("[")[0] == name
        if names[joint] == name:
            assert frames["to_root"][:, joint] == pytest.approx(posed["to_root"][:, bone], abs=1e-9)


def test_what_bones_carry_is_where_blender_has_it(tmp_path: Path, skinscope: Program, path: Path):
    out = exported(tmp_path, skinscope, path)
    ((_, bones, posed),) = read_skeletons(out)
    parts = read_parts(out)

    def placed() -> dict[str, np.ndarray]:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        found = {}
        for name in ("Sword", "Gem", "Base", "Socket"):
            one = bpy.data.objects[name].evaluated_get(depsgraph)
            points = [one.matrix_world @ vertex.co for vertex in one.data.vertices] if one.data else []
            found[name] = np.array([*points, one.matrix_world.translation])
        return found

    truth = at_frames(path, placed)
    assert set(parts) == set(truth)
    assert [parts[name][0]["parent"] for name in ("Sword", "Gem", "Base", "Socket")] == [
        {"object": "Random", "library": None, "bone": "bone 8"},
        {"object": "Sword", "library": None, "bone": None},
        {"object": "Random", "library": None, "bone": None},
        {"object": "Random", "library": None, "bone": "bone 1"},
    ]
    assert [parts[name][0]["type"] for name in ("Sword", "Socket")] == ["MESH", "EMPTY"]
    assert [parts[name][0]["vertices"] for name in ("Sword", "Gem", "Socket")] == [24, 8, 0]
    names = bones["bone_names"].tolist()
    for name, expected in truth.items():
        entry, part, frames = parts[name]
        points = np.vstack([part.get("positions", np.empty((0, 3))), [(0, 0, 0)]])
        for number, frame in enumerate(FRAMES):
            to_world = frames["to_root"][frame - 1] @ posed["root_to_world"][frame - 1]
            made = np.pad(points, ((0, 0), (0, 1)), constant_values=1) @ to_world
            assert made[:, :3] == pytest.approx(expected[number], abs=3e-5)
            assert to_world == pytest.approx(frames["to_world"][frame - 1], abs=1e-5)
        if bone := entry["parent"]["bone"]:
            to_root = frames["to_parent"] @ posed["to_root"][:, names.index(bone)]
            assert to_root == pytest.approx(frames["to_root"], abs=1e-9)
            # On a bone, nothing of its own moves it; Blender hangs it on the tail.
            one = bpy.data.objects[name]
            tail = Matrix.Translation((0, bones["lengths"][names.index(bone)], 0))
            placed_once = rows(tail @ one.matrix_parent_inverse @ one.matrix_basis)
            assert frames["to_parent"] == pytest.approx(np.tile(placed_once, (9, 1, 1)), abs=1e-5)
    gem = parts["Gem"][2]
    assert gem["to_parent"] @ parts["Sword"][2]["to_root"] == pytest.approx(gem["to_root"], abs=1e-9)


def test_materials_and_the_triangles_that_have_them(tmp_path: Path, skinscope: Program, path: Path):
    out = exported(tmp_path, skinscope, path)
    entry, part, _ = read_parts(out)["Sword"]
    assert [one["name"] for one in entry["materials"]] == ["Steel", "Leather", None]
    assert entry["materials"][1]["color"] == pytest.approx([0.6, 0.5, 0.4])
    mesh = bpy.data.objects["Sword"].evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    expected = [mesh.polygons[one.polygon_index].material_index for one in mesh.loop_triangles]
    assert part["triangle_materials"].tolist() == expected
    assert set(expected) == {0, 1}
    skin = read_folder(out, read_bundle(out)[0]["meshes"][0])[0]
    assert skin["triangle_materials"].tolist() == [0] * len(skin["triangles"])
    assert read_bundle(out)[0]["meshes"][0]["materials"] == []


def test_what_is_left_out_is_said(tmp_path: Path, skinscope: Program, path: Path):
    out = tmp_path / "out"
    result = skinscope("export", path, "--output", out, "--device", "cpu", "--frames", "1")
    left_out = {one["object"]: one for one in read_bundle(out)[0]["left_out"]}
    assert set(left_out) == {"Ground", "Pinned"}
    assert left_out["Ground"]["reason"] == (
        "'Ground' is neither deformed by an armature nor attached to one."
    )
    assert not left_out["Ground"]["of_character"]
    assert left_out["Pinned"]["reason"].startswith("'Pinned' is parented to vertices of 'Random mesh'")
    assert left_out["Pinned"]["of_character"]
    assert (result.status, result.complaints) == (1, (left_out["Pinned"]["reason"],))
    assert result.output == (
        f"{out}: 1 mesh, 4 parts, 1 skeleton of 10 bones, 1 clip, 1 frame.\n"
        "Left out, for the reasons in bundle.json: 'Ground', 'Pinned'.\n"
    )


def test_influencing_bones_alone_are_exported_as_before(tmp_path: Path, skinscope: Program, path: Path):
    whole = read_bundle(exported(tmp_path / "whole", skinscope, path))[1]["Random mesh"]
    out = exported(tmp_path / "few", skinscope, path, "--bones", "influencing")
    bundle, meshes = read_bundle(out)
    assert (bundle["bones"], bundle["skeletons"], bundle["parts"]) == ("influencing", [], [])
    assert {one["object"] for one in bundle["left_out"]} == {
        "Sword",
        "Gem",
        "Base",
        "Socket",
        "Ground",
        "Pinned",
    }
    assert sorted(one.name for one in out.iterdir()) == ["bundle.json", "random-mesh"]
    skin, frames = meshes["Random mesh"]
    assert "joint_bones" not in skin
    for few, all_bones in ((skin, whole[0]), (frames, whole[1])):
        assert all(np.array_equal(values, all_bones[name]) for name, values in few.items())


def test_an_engines_hierarchy_carries_parts_too(tmp_path: Path, skinscope: Program):
    """glTF's nodes have no shear: what hangs on a sheared bone is elsewhere, as the skin is."""
    path = rig_file(tmp_path / "rig.blend", RigOptions(seed=3, bones=10, inherit_scale="ALIGNED"), equip)
    out = exported(tmp_path, skinscope, path, "--profile", "threejs")
    ((_, bones, posed),) = read_skeletons(out)
    _, skin_frames = read_bundle(out)[1]["Random mesh"]
    names = bones["bone_names"].tolist()
    skin = read_bundle(out)[1]["Random mesh"][0]
    for joint, bone in enumerate(skin["joint_bones"]):
        if bone >= 0:
            assert skin_frames["to_root"][:, joint] == pytest.approx(posed["to_root"][:, bone], abs=1e-9)
    _, _, frames = read_parts(out)["Sword"]
    carried = frames["to_parent"] @ posed["to_root"][:, names.index("bone 8")]
    assert carried == pytest.approx(frames["to_root"], abs=1e-9)
    off = np.abs(carried @ posed["root_to_world"] - frames["to_world"]).max()
    assert off > 1e-3


def test_a_robot_of_parts_alone_is_exported(tmp_path: Path, skinscope: Program):
    def robot(rig: RandomRig) -> None:
        bpy.data.objects.remove(rig.mesh)
        box("Arm", rig.armature, "bone 3")

    path = rig_file(tmp_path / "rig.blend", RigOptions(bones=5), robot)
    out = tmp_path / "out"
    result = skinscope("export", path, "--output", out, "--device", "cpu", "--frames", "1:9:4")
    assert (result.status, result.complaints) == (0, ())
    assert result.output == f"{out}: 0 meshes, 1 part, 1 skeleton of 5 bones, 1 clip, 3 frames.\n"
    assert len(read_parts(out)["Arm"][2]["to_root"]) == 3
    result = skinscope("export", path, "--output", out, "--device", "cpu", "--bones", "influencing")
    assert result.status == 2
    assert "has no mesh to export" in result.complaints[0]


def test_a_part_whose_topology_plays_is_left_out_by_name(tmp_path: Path, skinscope: Program):
    def change(rig: RandomRig) -> None:
        sword = box("Sword", rig.armature, "bone 3")
        rows_of = sword.modifiers.new("Row", "ARRAY")
        for frame, count in ((1, 1), (9, 3)):
            rows_of.count = count
            rows_of.keyframe_insert("count", frame=frame)

    path = rig_file(tmp_path / "rig.blend", RigOptions(bones=5), change)
    out = tmp_path / "out"
    result = skinscope("export", path, "--output", out, "--device", "cpu", "--frames", "1:9:4")
    assert result.status == 1
    assert result.complaints[0].startswith("'Sword' is left out: at frame 5 its faces are no longer those")
    assert read_parts(out) == {}
