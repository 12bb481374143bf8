"""A file's clips packed into a folder: its actions as a .blend, and every pose of its armatures in them.

Clips are packed with only that file open, and unpacked next to a character (`brought_clips`), so that nothing
but the actions ever reaches the character's file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...animation.clip import Marker
from ...core.skinning.skeleton import Skeleton
from ...core.text.errors import ClipError
from ..armatures.armature_reader import ArmatureReader
from ..clips.action_keys import curves_of, key_frames, key_values, markers_of
from ..clips.clips import ArmatureClip, SceneClip, list_clips
from ..clips.playback import sample_frames, set_frame
from ..files import open_file
from ..identification import action_of, identity, object_of
from ..object_data import armature_of
from ..staging.clip_scene import ClipScene, clip_scene

ACTIONS, POSES, CONTENTS = "actions.blend", "poses.npz", "clips.json"

POSED_OTHERWISE = 1e-3
"""If any element of a bone's matrix differs by more than this from its channels' pose, something else poses it
too."""

STILL = 1e-6
"""An object channel whose keys differ by no more than this doesn't move: FBX files key still objects, too."""

FRAMES_AT_MOST = 100_000


@dataclass(frozen=True, eq=False)
class PackedArmature:
    """An armature of the other file.

    modes: each bone's rotation mode, such as 'QUATERNION' or 'XYZ'. inherits: by bone, see `inheritance_of`.
    """

    name: str
    skeleton: Skeleton
    modes: Mapping[str, str]
    inherits: Mapping[str, Sequence[object]]


@dataclass(frozen=True, eq=False)
class PackedArmatureClip:
    """What one armature plays in a clip.

    armature: its number. action, slot: in `ACTIONS`; None if no single action plays. frames: (F,), in the
    file's own time.
    to_root: (F, B, 4, 4) float32, as Blender poses the bones. basis: (F, B, 4, 4) float32, the channels' pose
    relative to rest.
    otherwise: bones posed by constraints or drivers, not by channels alone. moves_object: whether the action
    also moves the armature object. markers: pose markers.
    """

    armature: int
    action: str | None
    slot: str | None
    frames: NDArray[np.float64]
    to_root: NDArray[np.float32]
    basis: NDArray[np.float32]
    otherwise: tuple[str, ...]
    moves_object: bool
    markers: tuple[Marker, ...]


@dataclass(frozen=True, eq=False)
class PackedClip:
    """A named animation. parts: one for each armature that it moves."""

    name: str
    parts: tuple[PackedArmatureClip, ...]


@dataclass(frozen=True, eq=False)
class PackedClips:
    """All clips of a file. file: its name. rate: frames per second. actions: the .blend with their actions."""

    file: str
    rate: float
    armatures: tuple[PackedArmature, ...]
    clips: tuple[PackedClip, ...]
    actions: Path


def pack_clips(file: str | Path, folder: Path) -> None:
    """Open a file, closing the current one, and pack all clips of its armatures into a folder.

    Raises:
        SourceFileError: the file can't be read. ClipError: it has no clips.
    """
    open_file(file)
    pack_open_file(Path(file).name, folder)


def pack_open_file(name: str, folder: Path, wanted: Sequence[str] = ()) -> None:
    """Pack the open file's clips. wanted: names of the clips to pack; if any is missing, all clips are packed.

    Raises:
        ClipError: the file has no clips.
    """
    scene = bpy.context.scene
    armatures = [one for one in scene.objects if one.type == "ARMATURE" and one.pose and one.pose.bones]
    clips = list_clips(scene, armatures)
    if not clips:
        raise ClipError(
            "'{file}' has no clips: none of its actions or NLA tracks moves a bone; choose a file with "
            "animation.",
            file=name,
        )
    if wanted and set(wanted) <= {one.name for one in clips}:
        clips = [one for one in clips if one.name in wanted]
    numbers = {identity(one): number for number, one in enumerate(armatures)}
    arrays: dict[str, NDArray[Any]] = {}
    entries: list[dict[str, Any]] = []
    with clip_scene(scene, armatures) as stage:
        for clip in clips:
            stage.play_alone(clip)
            poses = _poses(stage, clip)
            parts: list[dict[str, Any]] = []
            for part in clip.parts:
                key = f"{len(entries)}.{len(parts)}"
                frames, to_root, basis = poses[part.armature]
                arrays |= {f"{key}.frames": frames, f"{key}.to_root": to_root, f"{key}.basis": basis}
                parts.append(
                    {
                        "armature": numbers[identity(object_of(part.armature))],
                        "action": part.action and action_of(part.action).name,
                        "slot": part.slot,
                        "otherwise": _posed_otherwise(
                            stage.copies[part.armature], stage.readers[part.armature], to_root, basis
                        ),
                        "moves_object": _moves_object(part),
                        "markers": [asdict(one) for one in markers_of(part, clip)],
                    }
                )
            entries.append({"name": clip.name, "parts": parts})
        readers = [stage.readers[identity(one)] for one in armatures]
    for number, reader in enumerate(readers):
        arrays[f"{number}.parents"] = reader.skeleton.parents
        arrays[f"{number}.rest_to_root"] = reader.skeleton.rest_to_root
    bones = [
        {
            "name": one.name,
            "bones": reader.skeleton.names,
            "modes": {bone.name: bone.rotation_mode for bone in one.pose.bones},
            "inherits": {bone.name: inheritance_of(bone) for bone in armature_of(one).bones},
        }
        for one, reader in zip(armatures, readers, strict=True)
    ]
    used: set[bpy.types.ID] = {action_of(part.action) for clip in clips for part in clip.parts if part.action}
    bpy.data.libraries.write(str(folder / ACTIONS), used, fake_user=True)
    np.savez(folder / POSES, allow_pickle=False, **arrays)
    rate = scene.render.fps / scene.render.fps_base
    contents = {"file": name, "rate": rate, "armatures": bones, "clips": entries}
    (folder / CONTENTS).write_text(json.dumps(contents), encoding="utf-8")


def read_packed_clips(folder: Path) -> PackedClips:
    """Read a folder written by `pack_clips`."""
    contents = json.loads((folder / CONTENTS).read_text(encoding="utf-8"))
    with np.load(folder / POSES, allow_pickle=False) as arrays:
        armatures = tuple(
            PackedArmature(
                one["name"],
                Skeleton(tuple(one["bones"]), arrays[f"{number}.parents"], arrays[f"{number}.rest_to_root"]),
                one["modes"],
                one["inherits"],
            )
            for number, one in enumerate(contents["armatures"])
        )
        clips = tuple(
            PackedClip(
                clip["name"],
                tuple(
                    PackedArmatureClip(
                        part["armature"],
                        part["action"],
                        part["slot"],
                        arrays[f"{number}.{index}.frames"],
                        arrays[f"{number}.{index}.to_root"],
                        arrays[f"{number}.{index}.basis"],
                        tuple(part["otherwise"]),
                        part["moves_object"],
                        tuple(Marker(**one) for one in part["markers"]),
                    )
                    for index, part in enumerate(clip["parts"])
                ),
            )
            for number, clip in enumerate(contents["clips"])
        )
    return PackedClips(contents["file"], contents["rate"], armatures, clips, folder / ACTIONS)


def _poses(
    stage: ClipScene, clip: SceneClip
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float32], NDArray[np.float32]]]:
    """Read frames, to_root and channels of a clip's armatures at whole frames, at both ends and at all keys."""
    frames = set(sample_frames(clip.frame_start, clip.frame_end, at_most=FRAMES_AT_MOST))
    for part in clip.parts:
        for curve in curves_of(part):
            frames.update(f for f in key_frames(curve).tolist() if clip.frame_start <= f <= clip.frame_end)
    times = sorted(frames)
    names = clip.armatures
    read: dict[str, tuple[list[Any], list[Any]]] = {name: ([], []) for name in names}
    for frame in times:
        set_frame(stage.scene, frame)
        for name in names:
            evaluated = stage.copies[name].evaluated_get(stage.depsgraph)
            read[name][0].append(stage.readers[name].read_to_root(evaluated))
            read[name][1].append(_channels(stage.readers[name], evaluated))
    return {
        name: (np.array(times), np.array(to_root, dtype=np.float32), np.array(basis, dtype=np.float32))
        for name, (to_root, basis) in read.items()
    }


def _channels(reader: ArmatureReader, evaluated: bpy.types.Object) -> NDArray[np.float32]:
    """Return each bone's channels as row-vector matrices, (B, 4, 4), in the skeleton's order."""
    matrices = np.empty((len(reader.order), 4, 4), dtype=np.float32)
    evaluated.pose.bones.foreach_get("matrix_basis", matrices.reshape(-1))
    return matrices[reader.order]


def inheritance_of(bone: bpy.types.Bone) -> list[object]:
    """Return a bone's settings for inheriting its parent's rotation, scale and location; roots inherit none."""
    return [bone.use_inherit_rotation, bone.inherit_scale, bone.use_local_location]


def _posed_otherwise(
    copy: bpy.types.Object, reader: ArmatureReader, to_root: NDArray[np.float32], basis: NDArray[np.float32]
) -> list[str]:
    skeleton = reader.skeleton
    rest, _ = skeleton.to_parent(skeleton.rest_to_root)
    said = skeleton.to_root(basis.astype(np.float64) @ rest)
    there, attached = skeleton.to_parent(to_root.astype(np.float64))
    said, _ = skeleton.to_parent(said)
    size = float(np.ptp(skeleton.rest_to_root[:, 3, :3], axis=0).max()) or 1.0
    scale = np.array([1.0, 1.0, 1.0, size])[:, None]
    off = (np.abs(said - there) / scale).max(axis=(-2, -1)) * attached
    # Channels mean something else for bones with other inheritance settings.
    told = np.array(
        [
            inheritance_of(bone.bone) == [True, "FULL", True] or len(bone.constraints) > 0
            for bone in (copy.pose.bones[name] for name in skeleton.names)
        ]
    )
    return [skeleton.names[bone] for bone in np.flatnonzero((off.max(axis=0) > POSED_OTHERWISE) & told)]


def _moves_object(part: ArmatureClip) -> bool:
    moves = ("location", "rotation", "scale", "delta_")
    return any(
        curve.data_path.startswith(moves) and float(np.ptp(key_values(curve))) > STILL
        for curve in curves_of(part)
        if len(curve.keyframe_points)
    )
