"""What exported files lack of what Blender plays, kept mesh by mesh as `check` or the sidebar plays both."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...core.profiles.binding import Binding
from ...core.profiles.export_options import ExportOptions
from ...core.profiles.profile import Profile
from ...core.text.identity import Identity
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rules import RULES
from ...core.verdicts.verdict import USUAL, Thresholds
from ...scene.clips.clips import SceneClip
from ...scene.clips.playback_plan import Loss
from ...scene.staging.clip_staging import Scanned
from ..frame.attribution import Effects
from ..frame.body_parts import BodyParts
from .profile_findings import findings_of_effects

FRAMES_AT_MOST = 8
"""A pose without keys is the same in every frame, so a few show what is lost."""

SAME = 1e-5
"""Vertices that move less, as a share of the mesh's diagonal, stand still."""

Losses = Mapping[Identity, frozenset[Loss]]
"""By armature."""

_RULES = {
    Loss.MOTION: "constraints-not-baked",
    Loss.ACTION: "other-action-in-file",
    Loss.POSE: "pose-not-keyed",
    Loss.MIX: "nla-not-mixed",
}

LOST_MOTION = frozenset(_RULES.values())
"""Rules about a mesh that plays otherwise in the file."""


@dataclass(frozen=True, eq=False)
class SeenTwice:
    """A mesh in a few frames of a clip. rule: about what the file lacks. before, after: (F, V, 3), world space,
    metres, as Blender plays it and posed as the file has it.
    """

    rule: str
    clip: str
    frames: Sequence[float]
    before: NDArray[np.floating]
    after: NDArray[np.floating]


class PlaybackLosses:
    """The largest effect of each loss, by mesh and exporter's options."""

    def __init__(self) -> None:
        self._effects: dict[tuple[str, ExportOptions], Effects] = {}
        self._clips: dict[ExportOptions, dict[str, None]] = {}
        self._posed_elsewhere: dict[ExportOptions, dict[str, None]] = {}
        self._without_animation: set[tuple[str, ExportOptions]] = set()

    def note_clip(self, playback: Scanned, options: ExportOptions, losses: Losses) -> None:
        """Remember a clip that is not in the file at all, or sampled with its armature elsewhere."""
        if any(Loss.PLACE in found for found in losses.values()):
            self._posed_elsewhere.setdefault(options, {})[playback.name] = None
        if isinstance(playback, SceneClip) and all(
            Loss.CLIP in losses.get(Identity.of(part.armature), ()) for part in playback.parts
        ):
            self._clips.setdefault(options, {})[playback.name] = None

    def keep(self, binding: Binding, options: ExportOptions, seen: SeenTwice) -> None:
        """Compare a mesh as Blender plays it with the same posed as the file has it."""
        rule, mesh = seen.rule, (binding.mesh_object, options)
        still = np.ptp(seen.before, axis=0).max(initial=0.0) <= SAME * binding.mesh.diagonal
        if rule == "constraints-not-baked" and still:
            rule = "pose-not-keyed"
            self._without_animation.add(mesh)
        distances = np.linalg.norm(seen.before.astype(np.float64) - seen.after, axis=2).T
        self._effects.setdefault(mesh, Effects()).keep(rule, distances, seen.clip, seen.frames)

    def then(self, later: PlaybackLosses) -> PlaybackLosses:
        """Return the losses of these clips and later ones."""
        both = PlaybackLosses()
        both._effects = dict(self._effects)
        for mesh, effects in later._effects.items():
            both._effects[mesh] = both._effects[mesh].then(effects) if mesh in both._effects else effects
        for name in ("_clips", "_posed_elsewhere"):
            joined: dict[ExportOptions, dict[str, None]] = {}
            for one in (getattr(self, name), getattr(later, name)):
                for options, clips in one.items():
                    joined.setdefault(options, {}).update(clips)
            setattr(both, name, joined)
        both._without_animation = self._without_animation | later._without_animation
        return both

    def without(self, meshes: Container[str]) -> PlaybackLosses:
        """Return the losses of all meshes but these."""
        kept = self.then(PlaybackLosses())
        for key in [key for key in self._effects if key[0] in meshes]:
            kept.forget(*key)
        return kept

    def forget(self, mesh: str, options: ExportOptions) -> None:
        """Forget what a mesh loses."""
        del self._effects[mesh, options]

    def of_mesh(
        self, binding: Binding, profile: Profile, body: BodyParts, thresholds: Thresholds = USUAL
    ) -> Iterator[Finding]:
        """Return what a profile's file lacks of a mesh's motion, where the effect is largest."""
        options = profile.export_options
        effects = self._effects.get((binding.mesh_object, options)) if options is not None else None
        if options is None or effects is None:
            return
        posed = (binding.mesh_object, options) in self._without_animation
        for one in findings_of_effects(effects.sorted(), binding, profile, body, thresholds):
            # A rig that is merely posed has its animation elsewhere.
            capped = posed and one.rule == "pose-not-keyed" and one.severity is Severity.ERROR
            severity = Severity.WARNING if capped else one.severity
            # An engine is compared with Blender playing what the file has: nothing of that is due to a loss.
            yield replace(one, severity=severity, at_worst=0.0)

    def of_clips(self, profiles: Sequence[Profile]) -> Iterator[Finding]:
        """Name the clips that files lack, or have otherwise."""
        for profile in profiles:
            yield from _of_each("clip-not-exported", self._clips, profile)
            yield from _of_each("armature-not-keyed", self._posed_elsewhere, profile)


def _of_each(
    rule_id: str, clips: Mapping[ExportOptions, Mapping[str, None]], profile: Profile
) -> Iterator[Finding]:
    """Report each of a profile's clips."""
    rule, options = RULES[rule_id], profile.export_options
    for name in clips.get(options, ()) if options is not None else ():
        finding = rule.finding("", rule.told(clip=name, profile=profile.label))
        yield replace(finding, profile=profile.id, clip=name)


def rule_of_mesh(losses: Losses, armatures: Sequence[str]) -> str | None:
    """Choose the rule for a mesh by what its armatures lose; the most is lost first."""
    found = {loss for name in armatures for loss in losses.get(Identity.of(name), ())}
    return next((rule for loss, rule in _RULES.items() if loss in found), None)


def few_of(frames: Sequence[float]) -> list[float]:
    """Choose a few frames, evenly spread, with both ends."""
    places = np.linspace(0, len(frames) - 1, min(FRAMES_AT_MOST, len(frames))).round().astype(int)
    return [frames[place] for place in dict.fromkeys(places.tolist())]
