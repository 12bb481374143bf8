"""Make Game-Ready Copy with fitted weights: another Blender fits a copy of the open file."""

from __future__ import annotations

import itertools
import re
import tempfile
from contextlib import suppress
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.command_line.refitting.background import BackgroundFit
from skinning_addon.core.verdicts.tolerance import Tolerance
from skinning_addon.scene.clips.actions import fcurves
from skinning_addon.ui.engine.background_fit import fitted
from skinning_addon.ui.engine.game_ready_operator import SKINSCOPE_OT_game_ready_copy
from tests.command_line.rig_files import animated_rig
from tests.measurement.refit.keyed_limb import key_poses
from tests.scene.random_rig import RandomRig, RigOptions
from tests.scene.refit.evaluated import weights, world_positions
from tests.ui.engine.made_data import all_data, copied_and_undone, show_all
from tests.ui.recorded_tab import recorded_tab

BACKGROUND = "skinning_addon.command_line.program.background_blender"
FRAMES = 36


@pytest.fixture
def limb(session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RandomRig:  # noqa: ARG001 - registers operators
    """Nine influences a vertex, without scale, so that nothing is sheared; three.js takes four."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    rig = animated_rig(RigOptions(seed=3, influences=9, scale="none"))
    key_poses(rig, FRAMES)
    focus(rig.mesh)
    return rig


def focus(mesh: bpy.types.Object) -> None:
    bpy.context.view_layer.objects.active = mesh
    bpy.context.scene.skinscope.profiles.profile = "threejs"


def left_behind() -> list[str]:
    return [one.name for one in Path(tempfile.gettempdir()).iterdir()]


def copied_mesh() -> bpy.types.Object:
    copy = bpy.context.active_object
    return next(one for one in copy.users_collection[0].objects if one.type == "MESH")


def distances(original: bpy.types.Object, copy: bpy.types.Object) -> np.ndarray:
    """Of every vertex at every frame (F, V), as Blender evaluates both."""
    found = []
    show_all()
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        found.append(np.linalg.norm(world_positions(copy) - world_positions(original), axis=1))
    return np.array(found)


def furthest(original: bpy.types.Object, copy: bpy.types.Object) -> float:
    """Of any vertex at any frame."""
    return float(distances(original, copy).max())


def test_fitted_weights_are_nearer_and_the_file_stays_as_it_is(limb: RandomRig, capfd):
    scene = bpy.context.scene
    scene.frame_set(7)
    before, authored = world_positions(limb.mesh).tobytes(), weights(limb.mesh)
    assert bpy.ops.skinscope.game_ready_copy(fit_weights=False) == {"FINISHED"}
    largest = furthest(limb.mesh, copied_mesh())
    assert "Weights" not in capfd.readouterr().out
    focus(limb.mesh)
    scene.frame_set(7)
    assert bpy.ops.skinscope.game_ready_copy() == {"FINISHED"}
    assert scene.frame_current == 7
    assert world_positions(limb.mesh).tobytes() == before
    assert weights(limb.mesh) == authored
    assert furthest(limb.mesh, copied_mesh()) < 0.95 * largest
    told = capfd.readouterr().out
    assert "Weights fitted: clips are off by at most" in told
    assert "is left in clips where more than 4 bones move the skin" in told
    assert left_behind() == []
    assert bpy.data.filepath == ""


def test_helper_bones_bring_it_nearer_still(limb: RandomRig):
    assert bpy.ops.skinscope.game_ready_copy() == {"FINISHED"}
    without = distances(limb.mesh, copied_mesh())
    focus(limb.mesh)
    assert bpy.ops.skinscope.game_ready_copy(helper_bones=4) == {"FINISHED"}
    copy = bpy.context.active_object
    helpers = [one.name for one in copy.data.bones if one.name.startswith("helper.")]
    assert 0 < len(helpers) <= 4
    with_helpers = distances(limb.mesh, copied_mesh())
    # One vertex, of which frames that no fit has seen are nearer without, may stay the furthest.
    assert with_helpers.max() <= without.max() * (1 + 1e-6)
    assert np.square(with_helpers).mean() < 0.9**2 * np.square(without).mean()


def test_baked_clips_come_nearest_and_one_undo_takes_them_away(limb: RandomRig, capfd):
    assert bpy.ops.skinscope.game_ready_copy(helper_bones=4) == {"FINISHED"}
    runtime = furthest(limb.mesh, copied_mesh())
    focus(limb.mesh)
    before = all_data()
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.skinscope.game_ready_copy("EXEC_DEFAULT", True, helper_bones=4, kind="BAKED")
    assert "These clips are baked: do not blend or retarget them" in capfd.readouterr().out
    assert furthest(limb.mesh, copied_mesh()) < runtime
    bpy.ops.ed.undo()
    assert all_data() == before


@pytest.mark.arithmetic
def test_a_tolerance_adds_helpers_until_it_is_met_or_says_the_best(limb: RandomRig, session, capfd):
    """In frames that the fit has not seen. A scene in centimetres, with a character twice as large."""
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.01
    limb.armature.scale = (2.0, 2.0, 2.0)

    def made(tolerance: float) -> tuple[int, float, str]:
        """Return how many helpers there are, how far off Blender shows the copy, and what is said."""
        focus(limb.mesh)
        assert bpy.ops.skinscope.game_ready_copy(tolerance=tolerance) == {"FINISHED"}
        helpers = sum(one.name.startswith("helper.") for one in bpy.context.active_object.data.bones)
        said = capfd.readouterr().out
        sentence = next(one for one in session.checks.copies.of(scene.session_uid).missed if "99.9%" in one)
        assert str(sentence) in said
        assert str(sentence) in " ".join(one.text for one in recorded_tab()["SKINSCOPE_PT_game_ready"].texts)
        return helpers, furthest(limb.mesh, copied_mesh()), str(sentence)

    none, without, said = made(300.0)
    assert none == 0
    met = re.fullmatch(
        r"0 helper bones bring 99.9% within (.*) in frames of clips .*; 3 m was asked for", said
    )
    assert met is not None
    wanted = 0.9 * Tolerance.parse(met[1].replace(" ", "")).value / 0.01
    helpers, nearer, said = made(wanted)
    assert said.startswith(f"{helpers} helper bones bring 99.9% within ")
    assert helpers > 0
    assert nearer < without
    best, nearest, said = made(1e-4)
    assert re.fullmatch(
        f"1 µm is out of reach: the best is 99.9% within .*, with {best} helper bones; more bring nothing",
        said,
    )
    assert best >= helpers
    assert nearest < without


@pytest.mark.arithmetic
def test_bones_of_baked_clips_stay_within_the_limits_that_are_set(limb: RandomRig):
    """A character twice as large: limits are those of the scene's units."""
    limb.armature.scale = (2.0, 2.0, 2.0)
    assert bpy.ops.skinscope.game_ready_copy(kind="BAKED") == {"FINISHED"}
    usual = drift(limb.armature, bpy.context.active_object)
    most, turned = (one / 4 for one in usual)
    focus(limb.mesh)
    limits = {"most_drift": most, "most_turn": turned}
    assert bpy.ops.skinscope.game_ready_copy(kind="BAKED", **limits) == {"FINISHED"}
    found = drift(limb.armature, bpy.context.active_object)
    assert found[0] == pytest.approx(most, rel=0.1)
    assert found[1] == pytest.approx(turned, rel=0.1)


def test_what_is_set_in_the_sidebar_is_what_the_button_asks_for(limb: RandomRig):
    assert limb.mesh is not None
    settings = bpy.context.scene.skinscope.profiles
    settings.helper_bones, settings.copy_tolerance, settings.clip_bones = 3, 0.25, True
    settings.most_drift, settings.most_turn = 0.5, 0.75

    def shown() -> tuple[dict[str, object], set[str]]:
        panel = recorded_tab()["SKINSCOPE_PT_profile_findings"]
        (button,) = (one for one in panel.buttons if one.operator == "skinscope.game_ready_copy")
        return vars(button.properties), {one.text.removesuffix(" 000000") for one in panel.texts}

    limits = {"Most Drift", "Most Turn"}
    asked, said = shown()
    assert asked == {
        "fit_weights": True, "kind": "RUNTIME", "helper_bones": 3, "clip_bones": True, "tolerance": 0.25,
        "most_drift": 0.5, "most_turn": 0.75,
    }  # fmt: skip
    assert {"Helper Bones", "Clip Bones", "Tolerance"} <= said
    assert not limits & said
    settings.copy_kind = "BAKED"
    asked, said = shown()
    assert asked["kind"] == "BAKED"
    assert limits <= said
    assert "Clip Bones" not in said


@pytest.mark.usefixtures("limb")
def test_the_redo_panel_offers_nothing_that_would_start_a_fit_without_progress():
    """Blender shows what is not hidden, and what an operator draws itself."""
    kind = bpy.ops.skinscope.game_ready_copy.get_rna_type()
    assert [
        one.identifier for one in kind.properties if one.identifier != "rna_type" and not one.is_hidden
    ] == []
    assert not hasattr(SKINSCOPE_OT_game_ready_copy, "draw")


def drift(original: bpy.types.Object, copy: bpy.types.Object) -> tuple[float, float]:
    """How far heads of bones get from where they were authored, in the world, and by how much bones are turned."""
    distance, turned = 0.0, 0.0
    show_all()
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        one, other = (armature.evaluated_get(depsgraph) for armature in (original, copy))
        for bone in other.pose.bones:
            wanted = one.matrix_world @ one.pose.bones[bone.name].matrix
            found = other.matrix_world @ bone.matrix
            distance = max(distance, (wanted.translation - found.translation).length)
            angle = wanted.to_quaternion().rotation_difference(found.to_quaternion()).angle
            turned = max(turned, min(angle, 2 * np.pi - angle))
    return distance, turned


def test_one_undo_takes_it_away(limb: RandomRig):
    assert limb.mesh is not None
    before, made, after = copied_and_undone()
    assert made != before
    assert after == before


def test_esc_at_any_moment_ends_the_other_blender_and_removes_its_files(
    limb: RandomRig, monkeypatch: pytest.MonkeyPatch
):
    before = all_data()
    started: list[BackgroundFit] = []
    start = BackgroundFit.__init__

    def noted(self: BackgroundFit, *arguments: object) -> None:
        started.append(self)
        start(self, *arguments)

    monkeypatch.setattr(BackgroundFit, "__init__", noted)
    seen = set()
    for moment in itertools.count():
        steps = fitted(bpy.context, limb.armature)
        with suppress(StopIteration):
            for _ in range(1 + 40 * moment):
                seen.add(str(next(steps).text).split(":")[1].strip().split(",")[0])
        done = started[-1].is_done
        steps.close()
        assert started[-1]._process.poll() is not None
        assert all_data() == before
        assert left_behind() == []
        if done:
            break
    assert "starting Blender" in seen
    assert {"playing clips and the range of motion", "fitting weights"} <= seen


@pytest.mark.parametrize(
    ("failing", "told"),
    [
        (("_blender", lambda: ["/no/blender"]), "Another Blender can't be started in the background"),
        (("EXPRESSION", "import os; os._exit(11)"), "Blender exited with status 11 while fitting weights"),
    ],
)
def test_without_another_blender_the_copy_keeps_the_largest_weights_and_says_so(
    limb: RandomRig, monkeypatch: pytest.MonkeyPatch, capfd, failing: tuple[str, object], told: str
):
    assert limb.mesh is not None
    name, value = failing
    monkeypatch.setattr(f"{BACKGROUND}.{name}", value)
    assert bpy.ops.skinscope.game_ready_copy() == {"FINISHED"}
    said = capfd.readouterr().out
    assert "Weights are not fitted, and the copy keeps the largest" in said
    assert told in said
    bones = bpy.context.active_object.data.bones
    assert max(len(bones.keys() & one.keys()) for one in weights(copied_mesh())) == 4
    assert left_behind() == []


def test_the_scene_that_is_shown_is_fitted_in_files_of_several(limb: RandomRig, capfd):
    """The other one has the same armature with another mesh, which has no groups."""
    scene = bpy.context.scene
    other = bpy.data.scenes.new("Another")
    other.collection.objects.link(limb.armature)
    plain = bpy.data.objects.new("Plain", limb.mesh.data.copy())
    plain.modifiers.new("Armature", "ARMATURE").object = limb.armature
    other.collection.objects.link(plain)
    bpy.context.window.scene = scene
    focus(limb.mesh)
    bpy.ops.skinscope.game_ready_copy()
    assert "Weights fitted: clips are off by at most" in capfd.readouterr().out
    assert [one.name for one in bpy.context.active_object.users_scene] == [scene.name]


def test_linked_characters_are_fitted(limb: RandomRig, tmp_path: Path, capfd):
    """They are named by a path that is another one in the saved copy."""
    library = tmp_path / "library" / "limb.blend"
    library.parent.mkdir()
    (tmp_path / "shots").mkdir()
    name, armature = limb.mesh.name, limb.armature.name
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shots" / "shot.blend"))
    with bpy.data.libraries.load(str(library), link=True, relative=True) as (_, there):
        there.objects = [name, armature]
    for one in there.objects:
        bpy.context.scene.collection.objects.link(one)
    mesh = bpy.data.objects[name]
    assert mesh.library.filepath.startswith("//")
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, FRAMES
    focus(mesh)
    assert bpy.ops.skinscope.game_ready_copy() == {"FINISHED"}
    said = capfd.readouterr().out
    assert "Weights fitted: clips are off by at most" in said
    assert bpy.context.active_object.library is None
    assert mesh.library.filepath.startswith("//")


def test_pictures_that_are_not_saved_stay(limb: RandomRig, capfd):
    image = bpy.data.images.new("Painted", 4, 4)
    image.pixels[:] = np.linspace(0, 1, 64).tolist()
    painted = list(image.pixels)
    limb.mesh.data.materials.append(bpy.data.materials.new("Skin"))
    bpy.ops.skinscope.game_ready_copy()
    assert "Weights fitted" in capfd.readouterr().out
    assert list(bpy.data.images["Painted"].pixels) == painted
    assert image.is_dirty
    assert image.packed_file is None


def test_what_cannot_be_fitted_keeps_the_largest_weights_and_the_reason_is_told(limb: RandomRig, capfd):
    """Weights of vertices that a modifier makes."""
    limb.mesh.modifiers.new("Mirror", "MIRROR")
    limb.mesh.modifiers.move(len(limb.mesh.modifiers) - 1, 0)
    assert bpy.ops.skinscope.game_ready_copy() == {"FINISHED"}
    said = capfd.readouterr().out
    assert "Weights are not fitted, and the copy keeps the largest" in said
    assert "A modifier before the armature" in said


def test_a_rig_that_is_no_number_is_refused_and_nothing_is_made(limb: RandomRig):
    bpy.data.actions.remove(limb.armature.animation_data.action)
    limb.armature.pose.bones[0].scale = (float("nan"), 1.0, 1.0)
    before = all_data()
    bone = limb.armature.pose.bones[0].name
    with pytest.raises(RuntimeError, match=f"Bone '{bone}' of 'Random' is at no number at frame 1"):
        bpy.ops.skinscope.game_ready_copy()
    assert all_data() == before
    assert left_behind() == []


def test_what_does_not_move_is_copied_as_it_is(limb: RandomRig, capfd):
    bpy.data.actions.remove(limb.armature.animation_data.action)
    for bone in limb.armature.pose.bones:
        bone.matrix_basis.identity()
    assert bpy.ops.skinscope.game_ready_copy() == {"FINISHED"}
    assert "0 clips" in capfd.readouterr().out
    assert furthest(limb.mesh, copied_mesh()) < 1e-6


def test_a_clip_that_nothing_uses_is_fitted_and_stays_unused(limb: RandomRig, capfd):
    """Blender saves no such action, and the fit is made in a saved copy of the file."""
    limb.armature.animation_data_clear()
    assert bpy.data.actions["Wild"].users == 0
    assert bpy.ops.skinscope.game_ready_copy() == {"FINISHED"}
    assert "Weights fitted: clips are off by at most" in capfd.readouterr().out
    assert [one.name for one in bpy.context.active_object.animation_data.nla_tracks] == ["Wild"]
    assert (bpy.data.actions["Wild"].users, bpy.data.actions["Wild"].use_fake_user) == (0, False)


def test_before_a_copy_is_made_the_panel_says_what_it_will_play(limb: RandomRig):
    assert limb.mesh is not None

    def said() -> str:
        return " ".join(one.text for one in recorded_tab()["SKINSCOPE_PT_profile_findings"].texts)

    assert f"It will have 1 clip, {FRAMES} frames: Wild" in said()
    for name in ("Jump", "Run", "Swim", "Walk"):
        bpy.data.actions["Wild"].copy().name = name
    assert f"It will have 5 clips, {5 * FRAMES} frames: Jump, Run, Swim and 2 more" in said()
    for curve in fcurves(bpy.data.actions["Walk"]):
        curve.keyframe_points[-1].co.x += 10
        curve.update()
    assert f"{5 * FRAMES + 10} frames" in said()
    limb.armature.animation_data_clear()
    for one in list(bpy.data.actions):
        bpy.data.actions.remove(one)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 11, 20
    assert "It will have what the scene plays: 10 frames" in said()
    bpy.context.view_layer.objects.active = None
    for one in (limb.mesh, limb.armature):
        bpy.context.scene.collection.objects.unlink(one)
    assert "It will have" not in said()
