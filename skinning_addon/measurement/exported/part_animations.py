"""The parts of a scene's clips that a file has under the names of their own actions.

On NLA tracks of one name, armatures play actions of different names, as a game-ready copy and its original
do. glTF's exporter writes each action as an animation of its own name, and one of the clip's name moves others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from ...core.text.identity import Identity
from ...scene.clips.clips import SceneClip
from ...scene.clips.exported_actions import as_action
from ...scene.clips.playback import Playback
from ...scene.identification import object_of
from ...scene.refit.copied_armature import game_ready_name
from .clip_pairs import is_called
from .exported_file import ExportedFile, FileClip
from .mesh_pairs import NamedMesh, same_meshes


class ArmedMesh(NamedMesh, Protocol):
    """armatures: identities of those that deform the mesh."""

    @property
    def armatures(self) -> tuple[str, ...]: ...


def actions_of_parts(playback: Playback) -> dict[str, str]:
    """Return the names of the actions of a clip's parts, by armature; none for what is no clip.

    Exporters write the action of a track, too, see `as_action`.
    """
    if not isinstance(playback, SceneClip):
        return {}
    written = [as_action(object_of(one.armature), one) for one in playback.parts]
    return {one.armature: Identity.of(one.action).name for one in written if one.action is not None}


def animations_of_parts(
    playback: Playback, actions: Mapping[str, str], file: ExportedFile, meshes: Sequence[ArmedMesh]
) -> tuple[Playback, tuple[int, ...]]:
    """Find the file's animations that move parts of a clip and have the names of those parts' own actions; or
    else, if it has none of the clip's name, that of the clip in a game-ready copy.

    Left out are parts that the animation of the clip's name moves. If the file has none of that name, the
    returned clip has only the parts that were found. Otherwise it is unchanged.

    actions: by `actions_of_parts`. meshes: of the scene.
    """
    if not isinstance(playback, SceneClip):
        return playback, ()
    clips = file.clips
    named = [place for place, one in enumerate(clips) if is_called(one.name, playback.name)]
    pairs = list(same_meshes(meshes, file.meshes))
    found: dict[str, list[int]] = {}
    for armature in playback.armatures:
        moved = frozenset(place for own, place in pairs if armature in meshes[own].armatures)
        if any(clips[one].moves & moved for one in named):
            continue
        own = [one for one in _called(clips, actions.get(armature)) if clips[one].moves & moved]
        if not own and not named:
            # The original's meshes may have other names than the copy's in the file.
            of_copy = _called(clips, game_ready_name(playback.name))
            own = [one for one in of_copy if not moved or clips[one].moves & moved]
        found[armature] = own
    places = tuple(dict.fromkeys(place for own in found.values() for place in own if place not in named))
    if places and not named:
        parts = tuple(one for one in playback.parts if found.get(one.armature))
        return replace(playback, parts=parts), places
    return playback, places


def _called(clips: Sequence[FileClip], name: str | None) -> list[int]:
    return [place for place, one in enumerate(clips) if one.name == name]
