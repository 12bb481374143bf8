"""What Blender's FBX exporter writes, judged by ufbx and by Blender's own importer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion, Vector

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.fbx_curves import curves_of, kept_keys, local_matrices, played
from skinning_addon.core.profiles.transform_parts import TransformParts
from skinning_addon.scene.armatures.armature_reader import ArmatureReader, read_armature
from skinning_addon.scene.armatures.profiled_reading import pose_under
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.engines.engine_check import RIGS, SHARE_OF_DIAGONAL
from tests.engines.exported_fbx import EVERY_KEY, check_against_ufbx, export_fbx, fbx_chain, options_of
from tests.engines.exported_rig import predict, seconds, start_clip
from tests.engines.reimported_fbx import reimported
from tests.engines.ufbx_judge import FbxCapture, Ufbx
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RandomRig, RigOptions

pytestmark = [pytest.mark.engines, pytest.mark.processes]

SHEARED_RIGS = (
    RigOptions(seed=1),
    RigOptions(seed=2, influences=9, transformed=True),
    RigOptions(seed=8, inherit_scale="ALIGNED", constraints=True),
    RigOptions(seed=9, scale="negative"),
    RigOptions(seed=10, inherit_scale="FIX_SHEAR", constraints=True),
    RigOptions(seed=13, inherit_scale="AVERAGE"),
    RigOptions(seed=14, inherit_scale="NONE"),
    RigOptions(seed=15, inherit_scale="NONE_LEGACY", constraints=True, transformed=True),
)


@pytest.mark.rigs
@pytest.mark.parametrize("rig", RIGS)
def test_every_vertex_of_a_rig(ufbx: Ufbx, rigs_folder: Path, tmp_path: Path, rig: str):
    open_rig(rigs_folder / rig)
    expected, _ = check_against_ufbx(ufbx, tmp_path, fbx_chain(), SHARE_OF_DIAGONAL, **EVERY_KEY)
    if rig == "mpfb_rigify_plain.blend":
        assert expected.deviations_from_blender.max() == pytest.approx(0.133, abs=0.005)


def clear_parents_below_stretched_bones(armature: bpy.types.Object) -> None:
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in armature.data.edit_bones:
        if bone.use_deform and bone.parent and stretches(armature.pose.bones[bone.parent.name]):
            bone.use_connect = False
            bone.parent = None
    bpy.ops.object.mode_set(mode="OBJECT")


def mute_stretch_to(armature: bpy.types.Object) -> None:
    for bone in armature.pose.bones:
        for one in bone.constraints:
            one.mute = one.mute or (bone.bone.use_deform and one.type == "STRETCH_TO")


def stretches(bone: bpy.types.PoseBone) -> bool:
    return any(one.type == "STRETCH_TO" for one in bone.constraints)


@pytest.mark.rigs
@pytest.mark.parametrize(
    ("remedy", "left"), [(clear_parents_below_stretched_bones, 1e-3), (mute_stretch_to, SHARE_OF_DIAGONAL)]
)
def test_the_advice_helps(
    ufbx: Ufbx,
    rigs_folder: Path,
    tmp_path: Path,
    remedy: Callable[[bpy.types.Object], None],
    left: float,
):
    """What `sheared-in-fbx` advises brings the file back to Blender's mesh, from 13% of the diagonal."""
    open_rig(rigs_folder / "mpfb_rigify_plain.blend")
    remedy(next(one for one in bpy.context.scene.objects if one.type == "ARMATURE"))
    bpy.context.view_layer.update()
    expected, _ = check_against_ufbx(ufbx, tmp_path, fbx_chain(), SHARE_OF_DIAGONAL, **EVERY_KEY)
    assert expected.deviations_from_blender.max() <= left


@pytest.mark.rigs
def test_exporting_only_deform_bones_does_not_help(ufbx: Ufbx, rigs_folder: Path, tmp_path: Path):
    open_rig(rigs_folder / "mpfb_rigify_plain.blend")
    expected, _ = check_against_ufbx(
        ufbx,
        tmp_path,
        fbx_chain(deform_bones_only=True),
        SHARE_OF_DIAGONAL,
        **EVERY_KEY,
        use_armature_deform_only=True,
    )
    assert expected.deviations_from_blender.max() > 0.1


@pytest.mark.rigs
@pytest.mark.parametrize(
    ("rig", "options"),
    [
        ("mpfb_rigify_plain.blend", {}),
        ("mannequiny.glb", {}),
        ("Fox.glb", {"bake_anim_step": 3.0, **EVERY_KEY}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_files_with_fewer_keys_than_frames(
    ufbx: Ufbx, rigs_folder: Path, tmp_path: Path, rig: str, options: dict[str, float]
):
    """Missing keys are predicted, too."""
    open_rig(rigs_folder / rig)
    check_against_ufbx(ufbx, tmp_path, fbx_chain(), SHARE_OF_DIAGONAL, **options)


@pytest.mark.parametrize("options", SHEARED_RIGS, ids=lambda options: f"seed{options.seed}")
def test_random_rigs(ufbx: Ufbx, tmp_path: Path, options: RigOptions):
    animated_rig(options)
    check_against_ufbx(ufbx, tmp_path, fbx_chain(), SHARE_OF_DIAGONAL, **EVERY_KEY)


def test_whatever_blender_does_that_gets_lost(ufbx: Ufbx, tmp_path: Path, what_gets_lost: RigOptions):
    animated_rig(what_gets_lost)
    check_against_ufbx(ufbx, tmp_path, fbx_chain(), SHARE_OF_DIAGONAL, **EVERY_KEY)


def test_a_character_in_parts(ufbx: Ufbx, tmp_path: Path):
    """Two meshes on one armature, one of them moved, turned and scaled."""
    rig = animated_rig(RigOptions(seed=16, inherit_scale="FIX_SHEAR", constraints=True))
    other = rig.mesh.copy()
    other.data = rig.mesh.data.copy()
    other.name = "Another part"
    other.matrix_world = Matrix.LocRotScale((1, 2, 3), Quaternion((1, 2, 3), 0.5), (1, 2, 0.5))
    bpy.context.scene.collection.objects.link(other)
    check_against_ufbx(ufbx, tmp_path, fbx_chain(), SHARE_OF_DIAGONAL, **EVERY_KEY)


AXES_AND_UNITS = (
    {"axis_forward": "Y", "axis_up": "Z"},
    {"axis_forward": "X", "axis_up": "-Y", "global_scale": 3.0},
    {"apply_scale_options": "FBX_SCALE_ALL"},
    {"apply_scale_options": "FBX_SCALE_UNITS", "apply_unit_scale": False},
    {"add_leaf_bones": False, "armature_nodetype": "LIMBNODE"},
)


@pytest.mark.parametrize("options", AXES_AND_UNITS, ids="-".join)
def test_axes_units_and_leaves_move_nothing(ufbx: Ufbx, tmp_path: Path, options: dict[str, object]):
    animated_rig(RigOptions(seed=17, inherit_scale="FIX_SHEAR", constraints=True, transformed=True))
    expected, _ = check_against_ufbx(
        ufbx, tmp_path, fbx_chain(), SHARE_OF_DIAGONAL, float(options.get("global_scale", 1)),
        **EVERY_KEY, **options,
    )  # fmt: skip
    assert expected.deviations_from_blender.max() > 0.05


@pytest.mark.parametrize("inherit_scale", ["FULL", "NONE"])
def test_a_bone_scaled_to_zero(ufbx: Ufbx, tmp_path: Path, inherit_scale: str):
    """The usual way to hide a part of a character: in the file its children vanish with it, whether or not they
    inherit its scale.
    """
    rig = animated_rig(RigOptions(seed=18, inherit_scale=inherit_scale, scale="none"))
    bone = rig.armature.pose.bones[1]
    bone.scale = (0, 0, 0)
    for frame in (1, 9):
        bone.keyframe_insert("scale", frame=frame)
    check_against_ufbx(ufbx, tmp_path, fbx_chain(), SHARE_OF_DIAGONAL, **EVERY_KEY)


@pytest.mark.parametrize("short", [(1,), (0, 2)], ids=["flat", "needle"])
def test_a_bone_scaled_to_almost_nothing(ufbx: Ufbx, tmp_path: Path, short: tuple[int, ...]):
    """Below it, the exporter's rounding moves vertices by more than the limit: as predicted."""
    rig = animated_rig(RigOptions(seed=18, scale="none"))
    bone = rig.armature.pose.bones[1]
    bone.scale = [1e-3 if axis in short else 1.0 for axis in range(3)]
    for frame in (1, 9):
        bone.keyframe_insert("scale", frame=frame)
    check_against_ufbx(ufbx, tmp_path, fbx_chain(), SHARE_OF_DIAGONAL, **EVERY_KEY)


def weight_a_control(rig: RandomRig) -> None:
    """Have a bone without Deform, which isn't above any bone that deforms, move vertices."""
    bones = rig.armature.data.bones
    leaf = next(one for one in reversed(bones) if not one.children)
    leaf.use_deform = False
    rig.mesh.vertex_groups[leaf.name].add(list(range(30, 60)), 0.5, "REPLACE")


def test_deform_bones_alone_keep_their_ancestors(ufbx: Ufbx, tmp_path: Path):
    """Shear is lost anyway, and ancestors that don't deform in Blender deform in the file."""
    rig = animated_rig(RigOptions(seed=19, inherit_scale="FIX_SHEAR", constraints=True))
    weight_a_control(rig)
    chain = fbx_chain(deform_bones_only=True)
    check_against_ufbx(ufbx, tmp_path, chain, SHARE_OF_DIAGONAL, **EVERY_KEY, use_armature_deform_only=True)


def joined_by_component(captured: FbxCapture, frame: int) -> dict[str, Matrix]:
    """Return each bone's matrix to the armature as FTransform::Multiply makes it; column vectors."""
    places: list[tuple[Vector, Quaternion, Vector]] = []
    for bone, parent in enumerate(captured.parents):
        x, y, z, w = captured.rotation[frame, bone]
        location, rotation, scale = (
            Vector(captured.translation[frame, bone]), Quaternion((w, x, y, z)), Vector(captured.scale[frame, bone]),
        )  # fmt: skip
        if parent >= 0:
            above_location, above_rotation, above_scale = places[parent]
            location = above_location + above_rotation @ (above_scale * location)
            rotation = above_rotation @ rotation
            scale = above_scale * scale
        places.append((location, rotation, scale))
    return {name: Matrix.LocRotScale(*place) for name, place in zip(captured.bones, places, strict=True)}


@pytest.mark.parametrize("profile", ["unreal", "o3de"])
def test_engines_that_join_the_files_scales_by_component(ufbx: Ufbx, tmp_path: Path, profile: str):
    rig = animated_rig(RigOptions(seed=20, inherit_scale="FIX_SHEAR", constraints=True))
    export_fbx(tmp_path / "rig.fbx", (1, 9), **EVERY_KEY)
    captured = ufbx.capture(tmp_path / "rig.fbx", [seconds(9)], tmp_path)
    bpy.context.scene.frame_set(9)
    armature = rig.armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    reader = read_armature(armature)
    predicted = pose_under(load_profile(profile), reader, reader.read_to_root(armature))
    by_engine = joined_by_component(captured, 0)
    for name, matrix in zip(reader.skeleton.names, predicted, strict=True):
        place = np.array(by_engine[name]).T
        assert place == pytest.approx(matrix, abs=1e-5), name


@pytest.mark.skipif("fbx_import" not in dir(bpy.ops.wm), reason="this Blender has an older importer")
def test_what_blender_imports_again(tmp_path: Path):
    without_flaws(animated_rig(RigOptions(seed=10, inherit_scale="FIX_SHEAR", constraints=True)))
    meshes, playback, frames = start_clip()
    expected = predict(meshes, playback, frames, fbx_chain(), "cpu", exported_with=options_of(EVERY_KEY))
    assert expected.deviations_from_blender.max() > 0.1
    export_fbx(tmp_path / "rig.fbx", frames, **EVERY_KEY)
    positions = reimported(tmp_path / "rig.fbx", [one.name for one in meshes], frames)
    assert expected.deviations(positions, np.arange(positions.shape[1])).max() <= SHARE_OF_DIAGONAL


@pytest.mark.rigs
@pytest.mark.parametrize("rig", ["mpfb_rigify_plain.blend", "Fox.glb"])
def test_simplified_curves_of_bones(ufbx: Ufbx, rigs_folder: Path, tmp_path: Path, rig: str):
    """Default options: which keys the exporter drops, and where that leaves each bone at every frame."""
    open_rig(rigs_folder / rig)
    _, playback, _ = start_clip()
    first = int(np.ceil(playback.frame_start))
    frames = tuple(range(first, min(first + 20, int(playback.frame_end)) + 1))
    export_fbx(tmp_path / "rig.fbx", frames)
    captured = ufbx.capture(tmp_path / "rig.fbx", [seconds(frame) for frame in frames], tmp_path)
    armature = next(one for one in bpy.context.scene.objects if one.type == "ARMATURE")
    reader = read_armature(armature)
    curves = curves_of(reader.skeleton, np.array([posed(armature, reader, frame) for frame in frames]))
    bones = [captured.bones.index(name) for name in reader.skeleton.names]
    in_file = TransformParts(
        captured.translation[:, bones].reshape(-1, 3),
        captured.rotation[:, bones].reshape(-1, 4),
        captured.scale[:, bones].reshape(-1, 3),
    ).matrices()
    exact = local_matrices(curves).reshape(-1, 4, 4)
    predicted = local_matrices(played(curves, kept_keys(curves))).reshape(-1, 4, 4)
    size = np.ptp(reader.skeleton.rest_to_root[:, 3, :3], axis=0).max()
    axes, places = predicted[:, :3, :3] - in_file[:, :3, :3], predicted[:, 3, :3] - in_file[:, 3, :3]
    assert np.abs(axes).max() <= 1e-5
    assert np.abs(places).max() <= 1e-6 * size
    assert np.abs(exact - in_file)[:, :3, :3].max() > 1e-3, "keys that were dropped matter"


def posed(armature: bpy.types.Object, reader: ArmatureReader, frame: int) -> np.ndarray:
    bpy.context.scene.frame_set(frame)
    return reader.read_to_root(armature.evaluated_get(bpy.context.evaluated_depsgraph_get()))
