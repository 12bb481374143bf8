"""Clips from another file on a character, against Blender's own result for the same keys."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from skinning_addon.core.text.errors import ClipError
from skinning_addon.scene.brought import brought_clips
from skinning_addon.scene.brought.brought_clips import BroughtClips, bring_clips
from skinning_addon.scene.brought.clip_package import pack_clips, read_packed_clips
from skinning_addon.scene.files import open_file
from tests.scene.walking_figure import (
    BONES,
    FRAMES,
    add_figure,
    blenders_mesh,
    blenders_pose,
    edit_bones,
    key_walk,
    play_by_hand,
    play_track,
    save,
    turns,
)

EVERY = tuple(float(frame) for frame in range(1, FRAMES + 1))


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    """A file with the figure and its walk."""
    key_walk(add_figure())
    return save(tmp_path / "walk.blend")


def _own(path: Path, frames: tuple[float, ...] = EVERY, clip: str = "Walk") -> np.ndarray:
    """The figure of a file, posed by its own clip."""
    open_file(path)
    armature = bpy.context.scene.objects["Figure"]
    play_by_hand(armature, bpy.data.actions[clip])
    return blenders_pose(armature, frames, list(BONES))


def _new_file() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def _bring(path: Path, tmp_path: Path, armature: bpy.types.Object, *, retarget: bool = False) -> BroughtClips:
    """Bring a file's clips to an armature of a file that is kept meanwhile."""
    name, kept = armature.name, save(tmp_path / "kept.blend")
    folder = tmp_path / "packed"
    folder.mkdir(exist_ok=True)
    pack_clips(path, folder)
    open_file(kept)
    armature = bpy.context.scene.objects[name]
    return bring_clips(bpy.context.scene, [armature], read_packed_clips(folder), retarget=retarget)


def _here() -> bpy.types.Object:
    return next(one for one in bpy.context.scene.objects if one.type == "ARMATURE")


def test_on_its_own_figure_a_clip_poses_every_bone_exactly_as_there(walk: Path, tmp_path: Path):
    between = (*EVERY, 4.37)
    there = _own(walk, between)
    _new_file()
    brought = _bring(walk, tmp_path, add_figure())
    assert brought.names == ("Walk",)
    assert brought.told == ()
    play_track(_here(), "Walk")
    assert np.array_equal(blenders_pose(_here(), between, list(BONES)), there)


def test_bones_that_one_side_lacks_are_named_and_the_others_move_alike(walk: Path, tmp_path: Path):
    there = _own(walk)
    _new_file()
    figure = add_figure()
    edit_bones(
        figure,
        "bones['hand'].name = 'Hand_R'; bones.remove(bones['shin']); hat = bones.new('hat'); hat.parent = "
        "bones['spine']; hat.head, hat.tail = (0, 0, 1.8), (0, 0, 2)",
    )
    brought = _bring(walk, tmp_path, figure)
    told = [str(one.message) for one in brought.told]
    assert any(
        "'Figure' is missing 2 bones of 'walk.blend'" in one and "'hand', 'shin'" in one for one in told
    )
    assert any(
        "'walk.blend' is missing 2 bones of 'Figure'" in one and "'Hand_R', 'hat'" in one for one in told
    )
    play_track(_here(), "Walk")
    shared = [name for name in BONES if name not in ("hand", "shin")]
    assert np.array_equal(
        blenders_pose(_here(), EVERY, shared), there[:, [list(BONES).index(one) for one in shared]]
    )
    # What has no keys stays as it rests on its parent.
    hat = blenders_pose(_here(), EVERY, ["spine", "hat"])
    rest = [np.array(_here().data.bones[name].matrix_local) for name in ("spine", "hat")]
    assert np.allclose(np.linalg.inv(hat[:, 0]) @ hat[:, 1], np.linalg.inv(rest[0]) @ rest[1], atol=1e-6)


OTHER_REST = (
    "turn = Matrix.Translation((0.2, 0, 1.7)) @ Matrix.Rotation(0.8, 4, 'Y') @ Matrix.Translation((-0.2, "
    "0, -1.7))\nfor one in (bones['arm'], bones['hand']): one.transform(turn)\n"
    "for one in bones: one.roll += 0.6"
)


def test_where_rest_poses_differ_the_same_keys_play_as_blender_plays_them(walk: Path, tmp_path: Path):
    figure = _other_rest()
    brought = _bring(walk, tmp_path, figure)
    (told,) = brought.told
    assert told.loses
    # 0.8 rad about one axis and a roll of 0.6 about another: cos(a / 2) = cos(0.4) cos(0.3) - ...; at least the
    # larger.
    assert "6 of the 6 bones" in told.message
    assert "'arm'" in told.message or "'hand'" in told.message
    play_track(_here(), "Walk")
    played = blenders_pose(_here(), EVERY, list(BONES))
    with bpy.data.libraries.load(str(walk), link=False) as (_, here):
        here.actions = ["Walk"]
    play_by_hand(_here(), here.actions[0])
    assert np.array_equal(played, blenders_pose(_here(), EVERY, list(BONES)))


def test_retargeted_every_bone_turns_as_it_does_there(walk: Path, tmp_path: Path):
    there = _own(walk)
    turned = turns(_here(), there, list(BONES))
    rest_there = {name: np.array(_here().data.bones[name].matrix_local) for name in BONES}
    brought = _bring(walk, tmp_path, _other_rest(), retarget=True)
    play_track(_here(), "Walk")
    played = blenders_pose(_here(), EVERY, list(BONES))
    assert np.abs(turns(_here(), played, list(BONES)) - turned).max() < 2e-6
    hips = played[:, 0, :3, 3] - np.array(_here().data.bones["hips"].matrix_local)[:3, 3]
    assert np.abs(hips - (there[:, 0, :3, 3] - rest_there["hips"][:3, 3])).max() < 1e-6
    moved = np.linalg.norm(hips, axis=-1).max()
    assert (
        f"'hips' moves up to {100 * moved:.0f} cm from its rest position; translations of 'walk.blend' are "
        f"used unchanged "
        "because its bones are equally long." in [one.message for one in brought.told]
    )


def _other_rest() -> bpy.types.Object:
    _new_file()
    figure = add_figure()
    edit_bones(figure, OTHER_REST)
    return figure


def test_retargeted_to_one_twice_as_tall_that_lies_on_its_side(walk: Path, tmp_path: Path):
    there = _own(walk)
    turned = turns(_here(), there, list(BONES))
    moved = there[:, 0, :3, 3] - np.array(_here().data.bones["hips"].matrix_local)[:3, 3]
    _new_file()
    figure = add_figure()
    edit_bones(
        figure, "for one in bones: one.transform(Matrix.Rotation(-math.pi / 2, 4, 'X') @ Matrix.Scale(2, 4))"
    )
    brought = _bring(walk, tmp_path, figure, retarget=True)
    length = np.linalg.norm(moved, axis=-1).max()
    said = (
        f"'hips' moves up to {2 * length:.1f} m from its rest position; translations of 'walk.blend' "
        f"are multiplied by 2 "
    )
    assert any(one.message.startswith(said) for one in brought.told)
    play_track(_here(), "Walk")
    played = blenders_pose(_here(), EVERY, list(BONES))
    lying = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    assert np.abs(turns(_here(), played, list(BONES)) - lying @ turned @ lying.T).max() < 5e-6
    hips = played[:, 0, :3, 3] - np.array(_here().data.bones["hips"].matrix_local)[:3, 3]
    assert np.abs(hips - 2 * moved @ lying.T).max() < 5e-6


def test_how_far_a_retargeted_figure_goes_is_told_in_the_scenes_unit_and_not_where_it_stays(
    walk: Path, tmp_path: Path
):
    moved = _own(walk)[:, 0, :3, 3] - np.array(_here().data.bones["hips"].matrix_local)[:3, 3]
    figure = _other_rest()
    figure.scale = (0.01, 0.01, 0.01)
    bpy.context.scene.unit_settings.scale_length = 0.1
    brought = _bring(walk, tmp_path, figure, retarget=True)
    millimetres = np.linalg.norm(moved, axis=-1).max()
    assert any(f"moves up to {millimetres:.2g} mm from its rest" in one.message for one in brought.told)
    open_file(walk)
    figure = _here()
    figure.animation_data_clear()
    figure.pose.bones["hips"].location = (0, 0, 0)
    for frame, angle in ((1, 0), (FRAMES, 1)):
        figure.pose.bones["arm"].rotation_quaternion = Matrix.Rotation(angle, 4, "X").to_quaternion()
        figure.pose.bones["arm"].keyframe_insert("rotation_quaternion", frame=frame)
    bpy.data.actions.remove(bpy.data.actions["Walk"])
    still = save(tmp_path / "still.blend")
    _new_file()
    tall = add_figure()
    edit_bones(tall, "for one in bones: one.transform(Matrix.Scale(2, 4))")
    told = _bring(still, tmp_path, tall, retarget=True).told
    assert not [one.message for one in told if "from its rest" in one.message]


def test_retargeted_over_a_bone_that_is_missing_between_the_bones_below_still_turn(
    walk: Path, tmp_path: Path
):
    below = ["hips", "thigh", "arm", "hand"]
    there = _own(walk)[:, [list(BONES).index(one) for one in below]]
    turned = turns(_here(), there, below)
    _new_file()
    figure = add_figure()
    edit_bones(figure, "bones['arm'].parent = bones['hips']; bones.remove(bones['spine'])")
    _bring(walk, tmp_path, figure, retarget=True)
    play_track(_here(), "Walk")
    assert np.abs(turns(_here(), blenders_pose(_here(), EVERY, below), below) - turned).max() < 2e-6


def test_retargeted_without_its_root_the_figure_goes_its_way_and_without_hips_limbs_stay_on(
    walk: Path, tmp_path: Path
):
    open_file(walk)
    figure = _here()
    figure.animation_data.action = None
    edit_bones(
        figure,
        "root = bones.new('root'); root.head, root.tail = (0, 0, 0), (0, 0.3, 0); bones['hips'].parent = root",
    )
    figure.animation_data.action = bpy.data.actions["Walk"]
    for frame in (1, FRAMES):
        figure.pose.bones["root"].location = (0, 0.1 * frame, 0)
        figure.pose.bones["root"].keyframe_insert("location", frame=frame)
    path = save(tmp_path / "rooted.blend")
    there = blenders_pose(figure, EVERY, ["hips", "arm"])
    _new_file()
    brought = _bring(path, tmp_path, add_figure(), retarget=True)
    assert (
        "'Figure' is missing 1 bones of 'rooted.blend', and bones below them turn as if they were there: "
        "'root'." in [one.message for one in brought.told]
    )
    play_track(_here(), "Walk")
    assert np.abs(blenders_pose(_here(), EVERY, ["hips", "arm"]) - there).max() < 2e-6
    _new_file()
    figure = add_figure()
    edit_bones(figure, "bones['hips'].name = 'Pelvis'")
    _bring(path, tmp_path, figure, retarget=True)
    play_track(_here(), "Walk")
    thigh = blenders_pose(_here(), EVERY, ["thigh"])[:, 0, :3, 3]
    assert np.abs(thigh - np.array(_here().data.bones["thigh"].head_local)).max() < 1e-6


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "AXIS_ANGLE"])
def test_bones_that_say_rotations_otherwise_turn_alike(walk: Path, tmp_path: Path, mode: str):
    there = _own(walk)
    _new_file()
    figure = add_figure()
    for bone in figure.pose.bones:
        bone.rotation_mode = mode
    _bring(walk, tmp_path, figure)
    play_track(_here(), "Walk")
    assert np.abs(blenders_pose(_here(), EVERY, list(BONES)) - there).max() < 2e-6


def test_a_clip_lasts_as_long_at_another_frame_rate(tmp_path: Path):
    bpy.context.scene.render.fps = 30
    key_walk(add_figure())
    path = save(tmp_path / "walk30.blend")
    there = _own(path)
    _new_file()
    _bring(path, tmp_path, add_figure())
    action = play_track(_here(), "Walk")
    rate = bpy.context.scene.render.fps / 30
    assert np.allclose(action.frame_range, (1 * rate, FRAMES * rate))
    assert (
        np.abs(blenders_pose(_here(), tuple(rate * frame for frame in EVERY), list(BONES)) - there).max()
        < 1e-5
    )


def test_a_track_of_two_strips_comes_as_it_plays(tmp_path: Path):
    figure = add_figure()
    action = key_walk(figure)
    figure.animation_data.action = None
    track = figure.animation_data.nla_tracks.new()
    track.name = "Twice"
    for start in (1, 1 + FRAMES):
        strip = track.strips.new("walk", start, action)
        if hasattr(strip, "action_slot"):
            strip.action_slot = action.slots[0]
    path = save(tmp_path / "twice.blend")
    frames = tuple(float(frame) for frame in range(1, 2 * FRAMES))
    there = blenders_pose(figure, frames, list(BONES))
    _new_file()
    brought = _bring(path, tmp_path, add_figure())
    assert "Twice" in brought.names
    play_track(_here(), "Twice")
    assert np.abs(blenders_pose(_here(), frames, list(BONES)) - there).max() < 2e-6


def test_nothing_but_the_clips_comes_along_and_nothing_at_all_where_no_bone_is_shared(
    walk: Path, tmp_path: Path
):
    _new_file()
    figure = add_figure()
    edit_bones(figure, "for one in bones: one.name = 'other ' + one.name")
    before = everything()
    with pytest.raises(ClipError, match=r"'walk.blend' has no bone names in common .* 'hips'.* 'other hips'"):
        _bring(walk, tmp_path, figure)
    assert everything() == before
    _new_file()
    figure = add_figure()
    before = everything()
    _bring(walk, tmp_path, figure)
    assert everything() == sorted([*before, ("Action", "Walk")])


def test_what_was_made_is_taken_back_where_a_later_clip_fails(
    walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    open_file(walk)
    second = bpy.data.actions["Walk"].copy()
    second.name, second.use_fake_user = "Z", True
    save(walk)
    _new_file()
    figure = add_figure()
    save(tmp_path / "kept.blend")
    before = everything()
    lay, laid = brought_clips.free_name, []

    def fail_at_the_second(name: str, file: str, taken: set[str]) -> str:
        if laid:
            raise ClipError("The disk is gone.")
        laid.append(name)
        return lay(name, file, taken)

    monkeypatch.setattr(brought_clips, "free_name", fail_at_the_second)
    with pytest.raises(ClipError, match="disk"):
        _bring(walk, tmp_path, figure)
    assert laid == ["Walk"]
    assert everything() == before
    assert _here().animation_data is None


def test_constraints_are_baked_in_there_and_named_here(walk: Path, tmp_path: Path):
    open_file(walk)
    figure = _here()
    copy = figure.pose.bones["shin"].constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget = figure, "arm"
    path = save(tmp_path / "constrained.blend")
    play_by_hand(figure, bpy.data.actions["Walk"])
    there = blenders_pose(figure, EVERY, list(BONES))
    _new_file()
    brought = _bring(path, tmp_path, add_figure())
    assert ["such as 'shin', but only keys are imported" in one.message for one in brought.told] == [True]
    _new_file()
    figure = add_figure()
    # Limits nothing, but might.
    figure.pose.bones["hand"].constraints.new("LIMIT_SCALE")
    brought = _bring(path, tmp_path, figure, retarget=True)
    assert any("such as 'hand', act on top" in one.message for one in brought.told)
    play_track(_here(), "Walk")
    assert np.abs(blenders_pose(_here(), EVERY, list(BONES)) - there).max() < 2e-6


def test_bones_that_inherit_otherwise_are_named_and_retargeted_all_the_same(walk: Path, tmp_path: Path):
    open_file(walk)
    _here().animation_data.action = bpy.data.actions["Walk"]
    _here().pose.bones["arm"].location = (0.1, 0.2, 0.3)
    _here().pose.bones["arm"].keyframe_insert("location", frame=1)
    save(walk)
    there = _own(walk)
    _new_file()
    figure = add_figure()
    figure.data.bones["arm"].use_inherit_rotation = False
    for bone in figure.data.bones:
        bone.use_local_location = False
    (told,) = _bring(walk, tmp_path, figure).told
    assert told.message.startswith("6 of the bones, such as 'hips', inherit")
    assert told.loses
    _bring(walk, tmp_path, _here(), retarget=True)
    play_track(_here(), "Walk (walk.blend)")
    assert np.abs(blenders_pose(_here(), EVERY, list(BONES)) - there).max() < 2e-6
    # With the same inheritance, keys do, and nothing is reported.
    path = save(tmp_path / "alike.blend")
    play_by_hand(_here(), bpy.data.actions["Walk"])
    there = blenders_pose(_here(), EVERY, list(BONES))
    _here().animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    assert _bring(path, tmp_path, _here()).told == ()
    play_track(_here(), "Walk")
    assert np.array_equal(blenders_pose(_here(), EVERY, list(BONES)), there)


def test_an_armature_of_a_library_is_refused_by_name(walk: Path, tmp_path: Path):
    _new_file()
    add_figure()
    library = save(tmp_path / "library.blend")
    _new_file()
    with bpy.data.libraries.load(str(library), link=True) as (_, here):
        here.objects = ["Figure"]
    bpy.context.scene.collection.objects.link(here.objects[0])
    with pytest.raises(ClipError, match="'Figure' is linked from a library"):
        _bring(walk, tmp_path, here.objects[0])


@pytest.mark.parametrize("extension", ["glb", "fbx"])
def test_clips_come_out_of_what_blenders_exporters_make(walk: Path, tmp_path: Path, extension: str):
    there = _own(walk)
    path = tmp_path / f"walk.{extension}"
    if extension == "glb":
        bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
        bpy.ops.export_scene.gltf(filepath=str(path))
    else:
        bpy.ops.preferences.addon_enable(module="io_scene_fbx")
        bpy.ops.export_scene.fbx(filepath=str(path), add_leaf_bones=False, bake_anim_simplify_factor=0)
    _new_file()
    brought = _bring(path, tmp_path, add_figure())
    assert brought.told == ()
    (name,) = brought.names
    action = play_track(_here(), name)
    shift = action.frame_range[0] - 1
    assert np.abs(blenders_pose(_here(), tuple(f + shift for f in EVERY), list(BONES)) - there).max() < 5e-6


def test_a_clip_of_a_name_that_is_taken_is_told_apart(walk: Path, tmp_path: Path):
    _new_file()
    figure = add_figure()
    key_walk(figure)
    brought = _bring(walk, tmp_path, figure)
    assert brought.names == ("Walk (walk.blend)",)
    (told,) = brought.told
    assert "the one from 'walk.blend' is called 'Walk (walk.blend)'" in told.message
    assert [one.name for one in _here().animation_data.nla_tracks] == ["Walk (walk.blend)"]
    assert "Walk" in bpy.data.actions


def test_a_clip_there_that_moves_nothing_here_is_refused_and_not_one_of_the_name_here(
    walk: Path, tmp_path: Path
):
    open_file(walk)
    data = bpy.data.armatures.new("Door")
    door = bpy.data.objects.new("Door", data)
    bpy.context.scene.collection.objects.link(door)
    edit_bones(door, "bones.new('hinge').tail = (0, 0, 1)")
    hinge = door.pose.bones["hinge"]
    for frame in (1, 5):
        hinge.location = (0, frame, 0)
        hinge.keyframe_insert("location", frame=frame)
    door.animation_data.action.name = "Open"
    two = save(tmp_path / "two.blend")
    _new_file()
    figure = add_figure()
    key_walk(figure, "Open")
    brought = _bring(two, tmp_path, figure)
    assert brought.names == ("Walk",)
    assert brought.named("Walk") == "Walk"
    with pytest.raises(ClipError, match=r"'Open' of 'two\.blend' does not move any bone"):
        brought.named("Open")


def test_a_file_without_clips_is_refused(tmp_path: Path):
    add_figure()
    path = save(tmp_path / "still.blend")
    with pytest.raises(ClipError, match=r"'still\.blend' has no clips"):
        pack_clips(path, tmp_path)


def everything() -> list[tuple[str, str]]:
    """All data-blocks but the interface's, by kind and name."""
    interface = ("Screen", "WorkSpace", "WindowManager", "Brush", "Text")
    collections = (getattr(bpy.data, name) for name in dir(bpy.data) if name != "all_ids")
    return sorted(
        (type(one).__name__, one.name)
        for collection in collections
        if isinstance(collection, bpy.types.bpy_prop_collection)
        for one in collection
        if type(one).__name__ not in interface
    )


@pytest.mark.rigs
def test_the_knight_saved_without_clips_plays_the_knights_own_exactly(rigs_folder: Path, tmp_path: Path):
    source = rigs_folder / "KayKit_Knight.glb"
    folder = tmp_path / "packed"
    folder.mkdir()
    pack_clips(source, folder)
    clips, frames = ("Walking_A", "1H_Melee_Attack_Chop"), (0.0, 3.0, 7.5, 12.0, 25.0)
    open_file(source)
    there = {clip: _meshes(clip, frames) for clip in clips}
    armature = _here()
    armature.animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    open_file(save(tmp_path / "bare.blend"))
    assert not bpy.data.actions
    brought = bring_clips(bpy.context.scene, [_here()], read_packed_clips(folder))
    assert len(brought.names) == 76
    assert brought.told == ()
    for clip in clips:
        for before, after in zip(there[clip], _meshes(clip, frames), strict=True):
            assert before.keys() == after.keys()
            assert all(np.array_equal(before[name], after[name]) for name in before)


def _meshes(clip: str, frames: tuple[float, ...]) -> list[dict[str, np.ndarray]]:
    play_track(_here(), clip)
    played = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        played.append(
            {one.name: blenders_mesh(one) for one in bpy.context.scene.objects if one.type == "MESH"}
        )
    return played


@pytest.mark.rigs
def test_the_mannequins_clips_on_one_with_bones_renamed_missing_and_added(rigs_folder: Path, tmp_path: Path):
    source = rigs_folder / "mannequiny.glb"
    open_file(source)
    armature = _here()
    names = [one.name for one in armature.data.bones]
    clip = next(one.name for one in armature.animation_data.nla_tracks if "fight_kick" in one.name)
    play_track(armature, clip)
    frames = (1.0, 6.0, 11.5, 18.0)
    there = dict(zip(names, np.moveaxis(blenders_pose(armature, frames), 1, 0), strict=True))
    leaf = next(one.name for one in armature.data.bones if not one.children and "thigh" not in one.name)
    edit_bones(
        armature,
        f"bones['calf.l'].name = 'LowerLeg'; bones.remove(bones[{leaf!r}]); tail = bones.new('tail'); "
        "tail.parent = bones['pelvis']; tail.head, tail.tail = (0, 0, 1), (0, 0.2, 1)",
    )
    armature.animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    brought = _bring(source, tmp_path, armature)
    told = " ".join(one.message for one in brought.told)
    assert all(f"'{name}'" in told for name in ("calf.l", leaf, "LowerLeg", "tail"))
    armature = _here()
    assert clip in brought.names
    play_track(armature, clip)
    lowered = {one.name for one in armature.data.bones["LowerLeg"].children_recursive} | {"LowerLeg", "tail"}
    alike = [one.name for one in armature.data.bones if one.name not in lowered]
    assert len(alike) > 35
    here = np.moveaxis(blenders_pose(armature, frames, alike), 1, 0)
    assert all(np.array_equal(there[name], one) for name, one in zip(alike, here, strict=True))
    # Below the bone that was renamed, which rests, the keys still are what they were, relative to their parent.
    foot = armature.pose.bones["foot.l"]
    assert foot.matrix_basis.to_quaternion().angle > 0.01
