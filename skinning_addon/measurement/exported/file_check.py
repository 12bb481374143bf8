"""A check of an exported file against the open scene: record what plays here, pose the file, compare."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import bpy

from ...core.text.errors import UsageError
from ...core.verdicts.finding import Finding, worst_first
from ...core.verdicts.rules import RULES
from ...core.verdicts.tolerance import Tolerance
from ...core.verdicts.verdict import USUAL, Thresholds
from ...scene.clips.clips import SceneClip, list_clips
from ...scene.clips.exported_actions import frames_of_actions
from ...scene.clips.playback import Playback, ScenePlayback, sample_frames, what_plays
from ...scene.objects.deformed_meshes import deformed_meshes
from ...scene.refit.rest_of_anything import meshes_without_armature
from ..check.report import FileReport
from ..findings.rig_findings import finding_of_refusal
from .clip_pairs import SAME_FRAME, ClipPair, FrameRange, is_held, pair_clip, still_pair
from .comparison import Comparer, listed
from .exported_file import ExportedFile
from .moved_armatures import as_exported
from .opened_file import Opener
from .part_animations import actions_of_parts, animations_of_parts
from .recording import Progress, RecordedClip, Recording, record

DEFAULT_ANIMATION = "Animation"
"""The glTF exporter's name for several actions merged into one."""

ALL_CLIPS = "all"

SCENE_CLIP = "Scene"
"""What copies call a clip of all that a scene plays."""


@dataclass(frozen=True)
class FileCheckSettings:
    """clips: names, or 'all' alone; None for those that the file has. frames: first, last and step; None for
    every whole frame. tolerance: None for the usual one, up to which a result is good.
    """

    clips: tuple[str, ...] | None = None
    frames: tuple[float, float, float | None] | None = None
    tolerance: Tolerance | None = None
    thresholds: Thresholds = USUAL


@dataclass(frozen=True, eq=False)
class FileVerdict:
    """report: like that of `check`. reader: what read the file, in words. clips: those compared. matched: by
    mesh, how its vertices were matched.
    """

    report: FileReport
    reader: str
    clips: tuple[str, ...]
    matched: dict[str, str]


@dataclass(frozen=True)
class _Actions:
    """What exporters write for a clip: the actions' names, by armature, and their frames, None without any."""

    names: dict[str, str]
    frames: FrameRange | None

    @classmethod
    def of(cls, playback: Playback) -> _Actions:
        frames = frames_of_actions(playback) if isinstance(playback, SceneClip) else None
        return cls(actions_of_parts(playback), frames)


def check_file(
    scene: bpy.types.Scene,
    path: str,
    opener: Opener,
    settings: FileCheckSettings,
    *,
    progress: Progress | None = None,
) -> FileVerdict:
    """Compare a file with the open scene.

    Changes the scene: plays clips and shows hidden meshes. Reading the file may close the scene.

    Raises:
        SkinscopeError: the file can't be read, a clip is unknown, or the two have no mesh in common.
    """
    meshes, bones_of_anything = _meshes(scene, opener.meshes())
    if not meshes:
        raise UsageError(
            "The open scene has no mesh with an armature, so there is nothing to compare '{path}' with; choose "
            "the character's file.",
            path=path,
        )
    names = names_of_scene(scene)
    current = scene.frame_current_final
    animations = opener.animations()
    if bones_of_anything:
        wanted = _as_bones_play_it(scene, settings.clips)
    else:
        wanted = [as_exported(one, animations) for one in _wanted(scene, animations, settings.clips)]

    def frames_of(playback: Playback) -> tuple[float, ...]:
        return _frames(playback, settings, from_first=opener.keys_from_first)

    of_actions = [_Actions.of(one) for one in wanted]
    recording = record(scene, meshes, [(one, frames_of(one)) for one in wanted], progress)
    file = opener.open()
    played = list(zip(wanted, of_actions, strict=True))
    recording, pairs, findings = _paired(recording, played, file, names, current)
    comparison = Comparer(recording, pairs, file, settings.thresholds, settings.tolerance).compare()
    findings += comparison.findings
    findings += [finding_of_refusal(name, error) for name, error in recording.refused.items()]
    return FileVerdict(
        FileReport(path, comparison.meshes, worst_first(findings)),
        file.reader,
        tuple(one.name for one in recording.clips),
        comparison.matched,
    )


def _meshes(scene: bpy.types.Scene, names: Sequence[str] | None) -> tuple[list[bpy.types.Object], bool]:
    """Choose what to compare: meshes that armatures deform; or else those that get their bones from `refit
    --bones`, and whether it is these. names: of the file's skinned meshes, None if they are not known.
    """
    deformed = deformed_meshes(scene)
    if deformed and (names is None or any(one.name in names for one in deformed)):
        return deformed, False
    others = meshes_without_armature(scene)
    if names is not None:
        others = [one for one in others if one.name in names]
    return (others, True) if others else (deformed, False)


def _as_bones_play_it(scene: bpy.types.Scene, names: Sequence[str] | None) -> Sequence[Playback]:
    """Return what `refit --bones` makes a clip of, called Scene; raises UsageError for any other clip."""
    others = [one for one in names or () if one not in (ALL_CLIPS, SCENE_CLIP)]
    if others:
        return what_plays(scene, (), others)
    return [ScenePlayback(scene.frame_start, max(scene.frame_start, scene.frame_end))]


def names_of_scene(scene: bpy.types.Scene) -> tuple[str, ...]:
    """Return the names that exporters may give what the scene plays."""
    return (scene.name, SCENE_CLIP, DEFAULT_ANIMATION, *_active_actions(scene))


def _active_actions(scene: bpy.types.Scene) -> Iterator[str]:
    """Return the names of the actions that the scene's armatures play."""
    for one in scene.objects:
        data = one.animation_data if one.type == "ARMATURE" else None
        if data is not None and data.action is not None:
            yield data.action.name


def _wanted(
    scene: bpy.types.Scene, animations: Sequence[str], names: Sequence[str] | None
) -> Sequence[Playback]:
    """Choose what to play: the named clips; or else the clips that the file has, too; or else the scene itself.

    animations: the names of the file's animations, as far as they are known.
    """
    armatures = [one for one in scene.objects if one.type == "ARMATURE"]
    if names:
        return what_plays(scene, armatures, names)
    known = list_clips(scene, armatures)
    held = [
        one
        for one in known
        if is_held(one, animations) or not set(actions_of_parts(one).values()).isdisjoint(animations)
    ]
    return held or what_plays(scene, armatures)


def _frames(playback: Playback, settings: FileCheckSettings, *, from_first: bool) -> tuple[float, ...]:
    """Choose frames of a clip. from_first: see `Opener.keys_from_first`."""
    if settings.frames is not None:
        start, end, step = settings.frames
        return sample_frames(start, end, step, at_most=max(0, math.ceil(end - start)) + 2)
    if from_first and isinstance(playback, SceneClip):
        count = math.floor(playback.frame_end - playback.frame_start + SAME_FRAME) + 1
        return tuple(playback.frame_start + number for number in range(count))
    # Some importers have clips begin at fractions of a frame. Blender does not show those, and exporters round
    # them.
    start, end = math.ceil(playback.frame_start - SAME_FRAME), math.floor(playback.frame_end + SAME_FRAME)
    if start > end:
        return (playback.frame_start,)
    return tuple(float(one) for one in range(start, end + 1))


def _paired(
    recording: Recording,
    wanted: Sequence[tuple[Playback, _Actions]],
    file: ExportedFile,
    names: Sequence[str],
    current: float,
) -> tuple[Recording, list[ClipPair], list[Finding]]:
    """Pair the recorded clips with the file's, and keep only the frames that both have. wanted: the clips, each
    with its actions.
    """
    if not file.clips:
        return _still(recording, current)
    kept: list[RecordedClip] = []
    pairs: list[ClipPair] = []
    findings: list[Finding] = []
    for (playback, actions), clip in zip(wanted, recording.clips, strict=True):
        moved, of_parts = animations_of_parts(playback, actions.names, file, recording.meshes)
        pair = pair_clip(moved, file.clips, recording.fps, names, actions=actions.frames, of_parts=of_parts)
        if pair is None:
            rule = RULES["clip-not-in-file"]
            findings.append(replace(rule.finding("", rule.told(clip=playback.name)), clip=playback.name))
            continue
        places = [
            place
            for place, frame in enumerate(clip.frames)
            if pair.first - SAME_FRAME <= frame <= pair.last + SAME_FRAME
        ]
        if not pair.is_whole:
            findings.append(_cut(pair))
        if places:
            kept.append(clip.at(places))
            pairs.append(pair)
    if not pairs:
        raise UsageError(
            "'{path}' has nothing that the scene plays: its animations are {animations}, of {theirs}, and the "
            "scene plays {clips}, with {ours}. Export the clips, choose others with --clips, or choose the "
            "file that was exported from this scene.",
            path=file.path,
            animations=listed([one.name for one in file.clips]),
            theirs=listed([one.name for one in file.meshes]),
            clips=listed([one.name for one, _ in wanted]),
            ours=listed([one.object for one in recording.meshes]),
        )
    return replace(recording, clips=tuple(kept)), pairs, findings


def _still(recording: Recording, current: float) -> tuple[Recording, list[ClipPair], list[Finding]]:
    """Compare a file without animation at one frame: the current one, or else the first."""
    clip = recording.clips[0]
    place = next((place for place, frame in enumerate(clip.frames) if frame == current), 0)
    findings = []
    if len(clip.frames) > 1:
        rule = RULES["no-animation-in-file"]
        findings.append(rule.finding("", rule.told(frame=f"{clip.frames[place]:g}")))
    pair = still_pair(clip.frames[place])
    return replace(recording, clips=(clip.at([place]),)), [pair], findings


def _cut(pair: ClipPair) -> Finding:
    rule = RULES["clip-cut-in-file"]
    playback = pair.playback
    numbers = {
        "first": pair.first,
        "last": pair.last,
        "start": playback.frame_start,
        "end": playback.frame_end,
    }
    words = {name: f"{number:.4g}" for name, number in numbers.items()}
    return replace(rule.finding("", rule.told(clip=playback.name, **words)), clip=playback.name)
