"""Two clips of a runtime copy, blended half and half: three.js against Blender's blend of the original's clips.

The capture script plays all clips of a file with the same weight, so of two each counts half. Blender plays the
original's actions on two NLA tracks, of which the upper one has an influence of a half; what only one of them keys
is keyed at rest in the other first, as an engine's clips key every bone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.refit.kind import Kind
from skinning_addon.scene.clips.actions import assign, fcurves
from skinning_addon.scene.clips.playback import set_frame
from tests.command_line.rig_files import without_flaws
from tests.engines.engine_table import ENGINES
from tests.engines.exported_rig import export_animated, from_y_up, number_vertices, seconds
from tests.measurement.refit.keyed_limb import copy_of, key_poses, refitted
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RandomRig, RigOptions, random_rig
from tests.scene.refit.evaluated import world_positions

pytestmark = [pytest.mark.engines, pytest.mark.usefixtures("threejs")]

MILLIMETRE = 1e-3

Curve = tuple[str, int]


def as_tracks(armature: bpy.types.Object, actions: Sequence[bpy.types.Action]) -> None:
    """Lay actions on NLA tracks of their names; all begin with the whole of what any of them keys."""
    keyed = {action: {(one.data_path, one.array_index) for one in fcurves(action)} for action in actions}
    every = set[Curve]().union(*keyed.values())
    data = armature.animation_data
    for track in list(data.nla_tracks):
        data.nla_tracks.remove(track)
    for action in actions:
        data.action = None
        assign(armature, action, action.slots[0].identifier if hasattr(action, "slots") else None)
        for path, index in every - keyed[action]:
            _key_at_rest(armature, path, index, action.frame_range[0])
    data.action = None
    for action in actions:
        track = data.nla_tracks.new()
        track.name = action.name
        strip = track.strips.new(action.name, round(action.frame_range[0]), action)
        strip.extrapolation = "HOLD"


def _key_at_rest(armature: bpy.types.Object, path: str, index: int, frame: float) -> None:
    channel = path.rpartition(".")[2]
    if channel in {"location", "rotation_quaternion", "rotation_euler", "scale"}:
        owner = armature.path_resolve(path.rpartition(".")[0])
        values = list(getattr(owner, channel))
        values[index] = float(channel == "scale" or (channel == "rotation_quaternion" and index == 0))
        setattr(owner, channel, values)
    assert armature.keyframe_insert(path, index=index, frame=frame)


def blended_in_blender(
    armature: bpy.types.Object, mesh: bpy.types.Object, frames: Sequence[int]
) -> np.ndarray:
    """Return (F, V, 3) with the upper of two tracks at a half."""
    data = armature.animation_data
    data.use_nla = True
    for number, track in enumerate(data.nla_tracks):
        (strip,) = track.strips
        track.mute, strip.blend_type = False, "REPLACE"
        if number:
            # Only a curve of its own holds an influence.
            strip.use_animated_influence, strip.influence = True, 0.5
            strip.keyframe_insert("influence", frame=frames[0])
    found = []
    for frame in frames:
        set_frame(bpy.context.scene, frame)
        found.append(world_positions(mesh))
    for track in data.nla_tracks:
        track.mute, track.strips[0].use_animated_influence = True, False
    return np.array(found)


def blended_in_threejs(copy: bpy.types.Object, folder: Path, frames: tuple[int, ...]) -> np.ndarray:
    """Return (F, V, 3) of a copy in Blender's axes, by its vertices; those in no face are at no number."""
    number_vertices([copy])
    file = folder / "copy.glb"
    export_animated(file, [copy], frames, export_animation_mode="NLA_TRACKS")
    moved, sources = ENGINES["threejs"].capture(file, [seconds(one) for one in frames], folder)
    found = np.full((len(frames), len(copy.data.vertices), 3), np.nan)
    found[:, sources] = from_y_up(moved)
    return found


def two_clips(options: RigOptions, frames: int = 36) -> RandomRig:
    rig = random_rig(options)
    without_flaws(rig)
    actions = []
    for name in ("Wild", "Calm"):
        rig.armature.animation_data_clear()
        key_poses(rig, frames)
        action = rig.armature.animation_data.action
        action.name, action.use_fake_user = name, True
        actions.append(action)
    as_tracks(rig.armature, actions)
    return rig


def apart(
    rig: RandomRig, folder: Path, helpers: int, frames: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Copy the rig, and blend the copy in three.js; return how far (F, n) that is from Blender's blends of the
    original and of the copy itself, of the vertices in faces.
    """
    authored = blended_in_blender(rig.armature, rig.mesh, frames)
    found = refitted(rig, "threejs", helper_bones=helpers, kind=Kind.RUNTIME)
    assert len(found.plan.clips) == 2
    armature, copy = copy_of(found)
    of_copy = blended_in_blender(armature, copy, frames)
    moved = blended_in_threejs(copy, folder, frames)
    in_file = ~np.isnan(moved[0, :, 0])
    assert in_file.sum() > 10
    off = [np.linalg.norm(moved - one, axis=2)[:, in_file] for one in (authored, of_copy)]
    for one, told in zip(off, ("the original", "the copy"), strict=True):
        print(f"half and half, against {told}: {one.max()}, 99.9% {np.quantile(one, 0.999)}")
    return off[0], off[1]


FRAMES = (1, 9, 20, 36)


def test_what_needs_no_fit_blends_as_in_blender(tmp_path: Path):
    for off in apart(two_clips(RigOptions(seed=3, influences=3, scale="none")), tmp_path, 0, FRAMES):
        assert off.max() < 1e-5


def test_what_was_fitted_blends_as_the_clips_are(tmp_path: Path):
    """Half of the one and half of the other is off by no more than the fit leaves of the clips themselves."""
    rig = two_clips(RigOptions(seed=3, influences=9, scale="none"))
    from_original, from_copy = apart(rig, tmp_path, 0, FRAMES)
    left = max(one.largest for one in refitted(rig, "threejs").meshes[0].after.values())
    assert from_original.max() < left
    assert from_copy.max() < 1e-5


@pytest.mark.rigs
@pytest.mark.parametrize("helpers", [0, 16])
def test_a_rigify_human(rigs_folder: Path, tmp_path: Path, helpers: int):
    """three.js blends the copy as Blender does, but for helper bones, which Blender moves by constraints and a
    clip by keys. Blender's blend of the original is elsewhere: it blends controls, and the spine then turns around the
    hips' control, while an engine that has no controls moves it straight.
    """
    open_rig(rigs_folder / "mpfb_rigify_plain.blend")
    armature = next(one for one in bpy.data.objects if one.type == "ARMATURE")
    (mesh,) = (one for one in bpy.context.scene.objects if one.find_armature() == armature)
    as_tracks(armature, [bpy.data.actions[name] for name in ("FKBend", "Torso")])
    rig = RandomRig(mesh, armature, np.random.default_rng(0), RigOptions())
    from_original, from_copy = apart(rig, tmp_path, helpers, (1, 14, 27, 40))
    assert from_copy.max() < (10 if helpers else 0.1) * MILLIMETRE
    assert from_original.max() < 80 * MILLIMETRE
