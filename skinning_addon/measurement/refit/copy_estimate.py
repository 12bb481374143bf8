"""How far off a game-ready copy would be: a quick estimate from a few frames, without making one.

The copy's bones and the largest weights, at those frames alone: other frames may ask for other parents, and
fitted weights come nearer than the largest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.aspects import influence_limit
from ...core.profiles.profile import Profile
from ...core.refit.hierarchy import GameHierarchy, choose_hierarchy
from ...core.skinning.skeleton import invert_affine
from ...core.skinning.skin import Skin
from ...core.text.length import format_length
from ...core.verdicts.finding import REMAINDER, Finding
from ...core.verdicts.rules import RULES
from ...core.verdicts.verdict import Level
from ...scene.armatures.armature_reader import ArmatureReader
from ...scene.clips.playback import ScenePlayback
from ...scene.identification import identity
from ...scene.matrices import row_vectors
from ...scene.meshes.mesh_contents import MeshContents, moved_together, read_mesh_contents
from ...scene.meshes.mesh_reader import read_positions
from ...scene.meshes.vertex_group_reader import Memberships, read_memberships
from ...scene.object_data import mesh_of
from ...scene.objects.animated_settings import modifiers_after_armatures, stop_switching
from ...scene.objects.modifier_stack import DEFORMING_TYPES
from ...scene.refit.authored_bones import read_authored_bones
from ...scene.refit.plain_plan import copied_skin
from ...scene.refit.plan_parts import kept_bones
from ...scene.staging.clip_scene import ClipScene, clip_scene
from ...scene.staging.clip_staging import Scanned, show_frame, stage_playback
from ..frame.worst_frame import WorstFrame
from .copy_distances import Places, largest_distances
from .target_stack import NEVER_TAKEN

CURE = RULES["game-ready-copy"]

FRAMES = 8
"""The most that are played: those with the largest deviations."""

WORTHWHILE = 0.5
"""A copy that leaves more than this share of what is off is not named as the cure."""

CURED = frozenset(
    {
        "bendy-bones",
        "component-scale",
        "constraints-not-baked",
        "envelopes",
        "ignored-weights",
        "influence-limit",
        "masked-modifier",
        "modifier-not-exported",
        "non-deform-bones",
        "not-normalised",
        "pose-not-keyed",
        "preserve-volume",
        "scaled-in-usd",
        "several-modifiers",
        "sheared-by-parent",
        "sheared-in-fbx",
        "sheared-local-matrix",
        "small-weights",
        "turned-before-scaled",
        REMAINDER,
    }
)
"""What a copy has nothing of. Whatever else is found, such as keys that exporters leave out, it shares."""

Moment = tuple[str, float]
"""Name of what plays, and a frame of it."""


class PlayedMoments:
    """Moments by clip and frame, the one that was played last, the armature's reader, and meshes' weights."""

    def __init__(self) -> None:
        self._memberships: dict[str, Memberships] = {}
        self.of: dict[Moment, _Played] = {}
        self.last: _Played | None = None
        self.reader: ArmatureReader | None = None

    def memberships(self, mesh_object: bpy.types.Object) -> Memberships:
        """Return the weights of a mesh, read on the first request."""
        name = identity(mesh_object)
        if name not in self._memberships:
            self._memberships[name] = read_memberships(mesh_of(mesh_object))
        return self._memberships[name]

    def keep_only(self, asked: Sequence[Moment]) -> None:
        """Forget moments that are not asked for, once there are many: each has all vertices."""
        if len(self.of) > 2 * FRAMES:
            self.of = {moment: one for moment, one in self.of.items() if moment in asked}


@dataclass(frozen=True, eq=False)
class Character:
    """meshes: those that the armature deforms. playbacks: what is played of them.

    played: moments that were played for an engine, which others may ask for too.
    """

    scene: bpy.types.Scene
    armature: bpy.types.Object
    meshes: Sequence[bpy.types.Object]
    playbacks: Sequence[Scanned]
    played: PlayedMoments = field(default_factory=PlayedMoments)


def findings_of_cure(
    character: Character,
    worst: Mapping[str, WorstFrame],
    findings: Iterable[Finding],
    profile: Profile,
) -> Iterator[Finding]:
    """Name a game-ready copy as the cure of meshes that one would bring much nearer.

    worst: of each mesh in the engine. findings: under the profile; their frames are played. What is due to
    something that a copy shares counts as left.

    Creates and removes data-blocks.
    """
    findings = [one for one in findings if one.profile == profile.id]
    off = [one for one in map(identity, character.meshes) if one in worst and _needs_a_look(worst[one])]
    moments = _moments(findings, off)
    if not moments:
        return
    unit = character.scene.unit_settings.scale_length
    shared = _shared(findings)
    for name, distance in estimate(character, moments, influence_limit(profile), off).items():
        before = worst[name].max
        after = max(unit * distance, shared.get(name, 0.0))
        if after <= WORTHWHILE * before:
            told = CURE.told(
                mesh=name, profile=profile.label, left=format_length(after), distance=format_length(before)
            )
            yield replace(CURE.finding(name, told), deviation=after, profile=profile.id)


def _needs_a_look(worst: WorstFrame) -> bool:
    return worst.level is not None and worst.level > Level.GOOD


def _shared(findings: Iterable[Finding]) -> dict[str, float]:
    """Return the largest deviation that a copy would have as well, by mesh; without those that have none."""
    largest: dict[str, float] = {}
    for one in findings:
        if one.rule not in CURED:
            largest[one.object] = max(largest.get(one.object, 0.0), one.deviation or 0.0)
    return largest


def _moments(findings: Iterable[Finding], meshes: Sequence[str]) -> list[Moment]:
    """List when findings about the meshes are at their worst, the worst first."""
    among = frozenset(meshes)
    about = [one for one in findings if one.object in among and one.frame is not None and one.deviation]
    about.sort(key=lambda one: -(one.deviation or 0.0))
    return list(dict.fromkeys((one.clip or "", one.frame or 0.0) for one in about))[:FRAMES]


def estimate(
    character: Character, moments: Sequence[Moment], influences: int | None, asked: Sequence[str]
) -> dict[str, float]:
    """Return how far off copies of the meshes `asked` for would be at some moments, by mesh, in scene units.
    Meshes that can't be compared vertex by vertex are left out.
    """
    armature, meshes = character.armature, character.meshes
    played, reader = _play(character, moments)
    if not played or reader is None:
        return {}
    kept = kept_bones(armature, meshes, reader.skeleton.names, reader.deforms)
    if not kept.any() or not all(np.isfinite(one.to_root).all() for one in played):
        return {}
    found = choose_hierarchy(
        read_authored_bones(armature, reader, kept), np.stack([one.to_root for one in played])
    )
    finals = _finals(reader, found)
    skins: dict[str, Skin] = {
        identity(one): _skin(one, reader, found, influences, character.played.memberships(one))
        for one in meshes
        if identity(one) in asked
    }
    return largest_distances(played, skins, finals)


def _play(character: Character, moments: Sequence[Moment]) -> tuple[list[_Played], ArmatureReader | None]:
    """Return moments, clip by clip, playing those that have not been, and the armature's reader."""
    armature, meshes, known = character.armature, character.meshes, character.played
    name = identity(armature)
    by_name = {
        one.name: one
        for one in character.playbacks
        if isinstance(one, ScenePlayback) or name in one.armatures
    }
    if missing := [one for one in moments if one not in known.of]:
        known.keep_only(moments)
        with clip_scene(
            character.scene, [armature], meshes, whole=[identity(one) for one in meshes]
        ) as stage:
            for one in meshes:
                _show_moved_vertices(stage.placed[identity(one)])
            for playback, frames in _by_playback(missing, by_name):
                stage_playback(stage, playback, None)
                for frame in frames:
                    show_frame(stage, playback, frame)
                    known.of[playback.name, frame] = known.last = _Played(stage, name, meshes, known.last)
            known.reader = stage.readers[name]
    asked = [(one.name, frame) for one, frames in _by_playback(moments, by_name) for frame in frames]
    return [known.of[one] for one in asked], known.reader


class _Played:
    """A moment: to_root (B, 4, 4) of all bones, and each mesh before its armature and at its end, both (V, 3)
    in the armature's space, with the scale from there to the scene's units.
    """

    def __init__(
        self,
        stage: ClipScene,
        armature: str,
        meshes: Sequence[bpy.types.Object],
        before: _Played | None = None,
    ) -> None:
        """before: another moment, whose meshes are not read again if they are the same."""
        self.contents: dict[str, MeshContents] = {} if before is None else dict(before.contents)
        posed = stage.copies[armature].evaluated_get(stage.depsgraph)
        self.to_root = stage.readers[armature].read_to_root(posed)
        self._to_world = row_vectors(posed.matrix_world)
        names = [identity(one) for one in meshes]
        known = [(stage.placed[one], self.contents[one]) for one in names if one in self.contents]
        moved = dict(zip((one for one, _ in known), moved_together(known, stage.depsgraph), strict=True))
        self._meshes: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {
            one: self._read(stage, one, moved.get(stage.placed[one])) for one in names
        }

    def _read(
        self, stage: ClipScene, name: str, moved: MeshContents | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        copy = stage.placed[name]
        evaluated = copy.evaluated_get(stage.depsgraph)
        to_root = row_vectors(evaluated.matrix_world) @ invert_affine(self._to_world[None])[0][0]
        self.contents[name] = moved or read_mesh_contents(copy, stage.depsgraph)
        rest = self.contents[name].source.positions
        return _moved(rest, to_root), _moved(read_positions(mesh_of(evaluated)), to_root)

    def places(self, name: str) -> Places:
        """Return where a mesh is."""
        return Places(*self._meshes[name], self._to_world[:3, :3])


def _by_playback(
    moments: Sequence[Moment], by_name: Mapping[str, Scanned]
) -> Iterator[tuple[Scanned, list[float]]]:
    for name in dict.fromkeys(name for name, _ in moments):
        if name in by_name:
            yield by_name[name], sorted(frame for one, frame in moments if one == name)


def _show_moved_vertices(copy: bpy.types.Object) -> None:
    """Switch off the modifiers behind the armature that make vertices: a copy has them too."""
    for modifier in list(modifiers_after_armatures(copy)):
        if modifier.type not in DEFORMING_TYPES - NEVER_TAKEN:
            stop_switching(copy, modifier)
            modifier.show_viewport = False


def _finals(reader: ArmatureReader, found: GameHierarchy) -> NDArray[np.float64]:
    """Return (F, 1 + D, 4, 4): joint 0, which stays, and the copy's bones."""
    rest, _ = invert_affine(reader.skeleton.rest_to_root[found.bones])
    moved = rest @ found.to_root
    return np.concatenate([np.tile(np.eye(4), (len(moved), 1, 1, 1)), moved], axis=1)


def _skin(
    mesh_object: bpy.types.Object,
    reader: ArmatureReader,
    found: GameHierarchy,
    influences: int | None,
    memberships: Memberships,
) -> Skin:
    """Return a mesh's largest weights over the copy's bones, from joint 1 on."""
    skin, _ = copied_skin(mesh_object, reader, found, influences, memberships)
    none = np.flatnonzero(skin.counts == 0)
    return Skin.from_entries(
        np.concatenate([skin.vertex_of_influence, none]),
        np.concatenate([skin.indices + 1, np.zeros(len(none), dtype=skin.indices.dtype)]),
        np.concatenate([skin.weights, np.ones(len(none), dtype=skin.weights.dtype)]),
        skin.vertex_count,
    )


def _moved(positions: NDArray[np.floating], matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    return positions.astype(np.float64) @ matrix[:3, :3] + matrix[3, :3]
