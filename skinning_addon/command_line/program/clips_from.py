"""`--clips-from FILE`: clips from another file, for the character that a command opens."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import bpy

from ...core.text.errors import UsageError
from ...core.text.message import Message
from ...drawing.native_output import captured_native_output
from ...measurement.check.scene_playing import RANGE_OF_MOTION
from ...scene.brought.brought_clips import BroughtClips, bring_clips
from ...scene.brought.clip_package import PackedClips, pack_open_file, read_packed_clips
from ...scene.brought.differing_skeletons import Told
from ...scene.clips.clip_names import joined_names
from .blender_session import open_quietly
from .progress import ProgressLine

NO_NAMES = ("all", RANGE_OF_MOTION)
"""These stand for clips of both files, or for neither's."""


@contextmanager
def packed_clips(
    clips_from: str | None, character: str, wanted: Sequence[str] | None, progress: ProgressLine
) -> Iterator[PackedClips | None]:
    """For the block, open the file that clips come from and pack them; open the character's own file within
    it.

    wanted: names of the clips that are to be played, None for all.

    Raises:
        SourceFileError: the file can't be read. ClipError: it has no clips. UsageError: it is the character's.
    """
    if clips_from is None:
        yield None
        return
    refuse_same_file(clips_from, character)
    with tempfile.TemporaryDirectory(prefix="skinscope-clips-") as folder:
        open_quietly(clips_from, progress)
        with captured_native_output():
            pack_open_file(Path(clips_from).name, Path(folder), wanted or ())
        yield read_packed_clips(Path(folder))


def refuse_same_file(clips_from: str, character: str) -> None:
    """Make sure the clips come from another file.

    Raises:
        UsageError: it is the character's own.
    """
    if Path(clips_from).resolve() == Path(character).resolve():
        raise UsageError(
            "'{file}' is the character's own file, so its clips are already there; choose another "
            "file with --clips-from.",
            file=clips_from,
        )


def bring(packed: PackedClips | None, *, retarget: bool) -> BroughtClips:
    """Give the clips to the open scene's armatures; does nothing if none were packed.

    Raises:
        ClipError: no bone is shared.
    """
    if packed is None:
        return BroughtClips("", {}, ())
    scene = bpy.context.scene
    armatures = [one for one in scene.objects if one.type == "ARMATURE"]
    with captured_native_output():
        return bring_clips(scene, armatures, packed, retarget=retarget)


def names_to_play(brought: BroughtClips, wanted: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the requested clips' names in this scene: the other file's clip if it has one of that name.

    wanted: None for all of the other file's; returns None if there is no other file either.

    Raises:
        ClipError: one moves nothing here.
    """
    if not wanted:
        return brought.names or None
    names = joined_names(wanted, {*brought.called, *brought.names})
    return tuple(one if one in NO_NAMES else brought.named(one) for one in names)


def told_of(brought: BroughtClips, wanted: Sequence[str] | None) -> list[Told]:
    """Say how the clips fit, and which of the requested clips that exist are the character's own."""
    foreign = {*NO_NAMES, *brought.called, *brought.names}
    names = dict.fromkeys(joined_names(wanted or (), foreign))
    own = [one for one in names if one not in foreign] if brought.called else []
    return [
        *brought.told,
        *(
            Told(
                Message(
                    "'{clip}' is the character's own clip because '{file}' has no clip of that name.",
                    clip=one,
                    file=brought.file,
                ),
                loses=False,
            )
            for one in own
        ),
    ]
