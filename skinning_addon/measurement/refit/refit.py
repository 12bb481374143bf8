"""Fitting a character's meshes to an engine's limit of influences: the plan of a game-ready copy, and figures.

The copy's bones move as authored, but for shear, which no engine's hierarchy can hold. Weights are fitted to
Blender's final mesh over clips and over poses of the whole range of motion. A clip, or the middle of each clip,
is held out: the fit does not see it, and the figures say how well that is reached all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.aspects import influence_limit
from ...core.profiles.profile import Profile
from ...core.profiles.weight_rules import WeightRule
from ...core.refit.hierarchy import GameHierarchy, choose_hierarchy
from ...core.refit.judging import (
    Figures,
    better_of,
    cut_to,
    distances,
    figures_by_source,
    joined,
    needs_fit,
)
from ...core.refit.wanted import Wanted
from ...core.refit.weight_fit import Sides, fit_weights
from ...core.skinning.skeleton import invert_affine
from ...core.skinning.skin import Skin
from ...core.text.errors import UsageError
from ...scene.clips.playback import Playback
from ...scene.identification import identity
from ...scene.object_data import mesh_of
from ...scene.refit.authored_bones import read_authored_bones
from ...scene.refit.plan import CopiedMesh, CopyPlan
from ...scene.refit.plan_parts import kept_bones, planned_bones, planned_clips, weight_rows
from .animated_keys import mute_animated_keys
from .joined_bones import JoinedBones, joined_bones
from .recording import RecordedMesh, Recording, record, whole_frames
from .target_stack import switch_off_what_stays

VARIED_POSES = 160
"""Poses of the range of motion that are fitted beside clips."""

HELD_OUT_BLOCK = 10
"""Frames in the middle of each clip, and of the range of motion, that are held out if no clip is."""

FEWEST_TO_HOLD_OUT_OF = 30
"""Frames of a clip from which a block is held out."""


@dataclass(frozen=True)
class RefitOptions:
    """hold_out: name of a clip that the fit may not see; a block of each if empty."""

    hold_out: str = ""


@dataclass(frozen=True, eq=False)
class RefittedMesh:
    """What became of one mesh. Distances are in the armature's unit, by name of the clip.

    before: with the largest weights that the engine keeps, on the copy's bones. after: with fitted weights.
    held_out_before, held_out: the same on frames that the fit has not seen.
    fitted: vertices that their former weights left off. returned: those of them that got former weights back.
    worse: those that lie further off on unseen frames, but not over all.
    """

    mesh_object: str
    before: dict[str, Figures]
    after: dict[str, Figures]
    held_out_before: dict[str, Figures]
    held_out: dict[str, Figures]
    returned: int
    worse: int
    fitted: int
    vertices: int


@dataclass(frozen=True, eq=False)
class Refit:
    """plan: of the copy. meshes: with weights. sheared: names of bones whose shear is lost, and how far a point
    at their end is off for that, in the armature's unit, the worst first.
    """

    plan: CopyPlan
    meshes: tuple[RefittedMesh, ...]
    sheared: tuple[tuple[str, float], ...]


def refit(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    meshes: Sequence[bpy.types.Object],
    playbacks: Sequence[Playback],
    *,
    profile: Profile,
    options: RefitOptions,
    progress: Callable[[float, str], None],
) -> Refit:
    """Fit meshes to an engine. This plays the scene and changes it: for files opened to be measured.

    meshes: with weights, or hanging on a bone. progress: called with the finished fraction and what is being
    done; it may raise to stop.

    Raises:
        UsageError: no bone deforms, the clip to hold out is not among the playbacks, or nothing is left to fit
        to.
        BindingError: a mesh can't be fitted.
    """
    if options.hold_out and options.hold_out not in [one.name for one in playbacks]:
        raise UsageError(
            "The clip '{clip}' can't be held out, since it is not among those that are played.",
            clip=options.hold_out,
        )
    skinned = [one for one in meshes if one.parent_type != "BONE"]
    for one in skinned:
        mute_animated_keys(one)
    taken: dict[str, frozenset[str]] = {identity(one): switch_off_what_stays(one) for one in skinned}
    recording = record(
        scene,
        armature,
        skinned,
        playbacks,
        varied=VARIED_POSES,
        progress=lambda done: progress(0.6 * done, "Playing"),
    )
    reader = recording.reader
    kept = kept_bones(armature, meshes, reader.skeleton.names, reader.deforms)
    if not kept.any():
        raise UsageError(
            "No bone of '{armature}' deforms; switch on Deform for those that should.", armature=armature.name
        )
    bones = joined_bones(recording, read_authored_bones(armature, reader, kept))
    hierarchy = choose_hierarchy(bones.authored, bones.to_root)
    progress(0.65, "Fitting")
    fitting = _Fitting(recording, bones, hierarchy, profile, options)
    share = 0.35 / max(1, len(recording.meshes))
    done: list[tuple[RefittedMesh, Skin]] = []
    for number, mesh in enumerate(recording.meshes):
        first = 0.65 + number * share
        done.append(
            fitting.fit(
                number, mesh, partial(lambda first, part: progress(first + share * part, "Fitting"), first)
            )
        )
    skins = {one.mesh_object: skin for one, skin in done}
    plan = _plan(armature, recording, bones, hierarchy, [_planned_mesh(one, skins, taken) for one in meshes])
    return Refit(plan, tuple(one for one, _ in done), _sheared(bones, hierarchy))


class _Fitting:
    """What is the same for all meshes."""

    def __init__(
        self,
        recording: Recording,
        bones: JoinedBones,
        hierarchy: GameHierarchy,
        profile: Profile,
        options: RefitOptions,
    ) -> None:
        self._recording, self._bones, self._profile = recording, bones, profile
        self._number = np.full(len(bones.names), -1, dtype=np.intp)
        self._number[hierarchy.bones] = np.arange(len(hierarchy.bones))
        rest, _ = invert_affine(bones.authored.rest_to_root[hierarchy.bones])
        moved = rest @ hierarchy.to_root[recording.fitted]
        still = np.tile(np.eye(4), (len(moved), 1, 1, 1))
        self._finals = np.concatenate([still, moved], axis=1)
        self._sources = recording.sources[recording.fitted]
        self._held_out = _held_out(self._sources, recording, options.hold_out)
        self._sides = Sides(_mirrored(bones, hierarchy))

    def fit(
        self, number: int, mesh: RecordedMesh, progress: Callable[[float], None]
    ) -> tuple[RefittedMesh, Skin]:
        """Fit a mesh; the skin is over joints 1 and up, the copy's bones in order."""
        wanted = Wanted(mesh.rest, mesh.positions, self._finals, self._sources, self._recording.names)
        authored = self._over_copy(mesh.skin, self._bones.numbers[number])
        rule = WeightRule(self._profile).over_joints
        limit = influence_limit(self._profile) or max(1, authored.largest_count)
        # Authored weights that need no fit stay as they are, to the last bit.
        former = cut_to(authored, limit)
        before = distances(wanted, rule(former))
        off = needs_fit(wanted, before)
        seen = wanted.of_frames(~self._held_out)
        fitted = fit_weights(
            seen, authored, mesh.edges, limit, only=off, sides=self._sides, progress=progress
        )
        skin = joined(fitted, former, ~off)
        judged = better_of(before, distances(wanted, rule(skin)), self._held_out, wanted.size)
        skin = joined(skin, former, judged.returned)
        after = distances(wanted, rule(skin))
        unseen = wanted.of_frames(self._held_out)
        result = RefittedMesh(
            mesh.mesh_object,
            figures_by_source(wanted, before),
            figures_by_source(wanted, after),
            figures_by_source(unseen, before[:, self._held_out]),
            figures_by_source(unseen, after[:, self._held_out]),
            int(judged.returned.sum()),
            int(judged.worse.sum()),
            int(off.sum()),
            wanted.vertex_count,
        )
        return result, skin

    def _over_copy(self, skin: Skin, bones: NDArray[np.intp]) -> Skin:
        """Return a mesh's authored skin over the copy's bones; joint 0 stays."""
        table = np.where(bones >= 0, self._number[np.maximum(bones, 0)] + 1, 0)
        return Skin(skin.starts, table[skin.joints].astype(np.int32), skin.weights)


def _held_out(sources: NDArray[np.intp], recording: Recording, hold_out: str) -> NDArray[np.bool_]:
    """Mark the fitted frames (n,) that the fit may not see: at least one, and not all.

    Raises:
        UsageError: nothing is left to fit to.
    """
    marked = np.zeros(len(sources), dtype=np.bool_)
    for number, name in enumerate(recording.names):
        of_source = np.flatnonzero(sources == number)
        if name == hold_out and number < len(recording.playbacks):
            marked[of_source] = True
        elif not hold_out and len(of_source) >= FEWEST_TO_HOLD_OUT_OF:
            first = (len(of_source) - HELD_OUT_BLOCK) // 2
            marked[of_source[first : first + HELD_OUT_BLOCK]] = True
    if not marked.any():
        marked[len(marked) // 2] = True
    if marked.all():
        raise UsageError(
            "'{armature}' has no pose to fit to besides those that are held out; add a clip, or hold out "
            "another one.",
            armature=recording.armature,
        )
    return marked


def _mirrored(bones: JoinedBones, hierarchy: GameHierarchy) -> NDArray[np.intp]:
    """Return the joint on the other side for each joint of the copy, see `find_twins`."""
    number = {int(bone): 1 + index for index, bone in enumerate(hierarchy.bones)}
    other = bones.authored.mirrored[hierarchy.bones]
    return np.array([0, *(number.get(int(bone), -1) for bone in other)], dtype=np.intp)


def _sheared(bones: JoinedBones, hierarchy: GameHierarchy) -> tuple[tuple[str, float], ...]:
    noticed = 1e-5 * bones.authored.size
    found = [
        (bones.names[int(bone)], float(error))
        for bone, error in zip(hierarchy.bones, hierarchy.errors, strict=True)
        if error > noticed
    ]
    return tuple(sorted(found, key=lambda one: -one[1]))


def _plan(
    armature: bpy.types.Object,
    recording: Recording,
    bones: JoinedBones,
    hierarchy: GameHierarchy,
    meshes: Sequence[CopiedMesh],
) -> CopyPlan:
    deforms = np.ones(len(bones.names), dtype=np.bool_)
    deforms[: len(recording.reader.deforms)] = recording.reader.deforms
    return CopyPlan(
        identity(armature),
        tuple(planned_bones(bones.names, bones.authored, deforms, hierarchy)),
        tuple(meshes),
        tuple(
            planned_clips(
                armature, recording.playbacks, [whole_frames(one) for one in recording.playbacks], hierarchy
            )
        ),
    )


def _planned_mesh(
    mesh_object: bpy.types.Object, skins: Mapping[str, Skin], taken: Mapping[str, frozenset[str]]
) -> CopiedMesh:
    name = identity(mesh_object)
    if name not in skins:
        none = np.empty((len(mesh_of(mesh_object).vertices), 0))
        return CopiedMesh(name, none.astype(np.int32), none.astype(np.float32))
    joints, weights = weight_rows(skins[name])
    # Joint 0 is no bone; the plan counts its bones from 0.
    return CopiedMesh(name, np.maximum(joints - 1, -1), weights, taken[name])
