"""Findings about a mesh under a profile: each cause of deviation with its own effect, in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from ...core.groups.partition import most_joints_of_a_material
from ...core.profiles.aspects import influence_limit
from ...core.profiles.binding import Binding
from ...core.profiles.profile import Profile, Unmoved
from ...core.skinning.skin import SMALLEST_MOVING_SUM
from ...core.text.length import format_length
from ...core.text.message import Message
from ...core.verdicts.finding import REMAINDER, Finding, Severity
from ...core.verdicts.rules import RULES
from ...core.verdicts.verdict import USUAL, Thresholds
from ...scene.clips.playback import ScenePlayback
from ..frame.attribution import Effect
from ..frame.body_parts import BodyParts
from .partition_findings import findings_of_faces

ONE_INFLUENCE = Message("{profile} supports one influence per vertex, but '{mesh}' has more: {where}.")


def findings_of_effects(
    effects: tuple[Effect, ...],
    binding: Binding,
    profile: Profile,
    body: BodyParts,
    thresholds: Thresholds = USUAL,
    **words: object,
) -> Iterator[Finding]:
    """Report each cause with a visible effect. thresholds: in metres, for a figure of the usual height. words:
    more for the sentences.
    """
    for effect in effects:
        body = body.of_mesh(len(effect.distance))
        times = effect.distance / body.limits(1.0)
        seen = np.flatnonzero(times > thresholds.invisible)
        # A remainder with no causes is rounding, or is covered by the binding's own reasons.
        if not len(seen) or (effect.rule == REMAINDER and len(effects) == 1):
            continue
        most = float(times.max())
        order = seen[np.argsort(-effect.distance[seen], kind="stable")]
        finding = RULES[effect.rule].finding(
            binding.mesh_object, _sentence(effect, binding, profile, str(body.bones[order[0]]), words)
        )
        yield replace(
            finding,
            severity=_severity(most, thresholds),
            vertices=tuple(order.tolist()),
            count=len(seen),
            deviation=effect.max,
            clip=effect.clip,
            frame=effect.frame,
            profile=profile.id,
            at_worst=effect.at_worst,
        )


def _severity(metres: float, thresholds: Thresholds) -> Severity:
    """Return how bad it is that a vertex is off by so much, for a figure of the usual height."""
    if metres > thresholds.fail:
        return Severity.ERROR
    return Severity.WARNING if metres > thresholds.good else Severity.INFO


def findings_of_drawing(binding: Binding, profile: Profile) -> Iterator[Finding]:
    """Report what an engine can't draw as is: more joints than its palette holds, faces that no split helps,
    and vertices without influences if its shader has no position for them.
    """
    joints = max((len(one.joints) - 1 for one in binding.passes), default=0)
    entries = profile.palette.split_at
    if entries is not None and joints > entries and _has_to_be_split(binding, entries):
        rule = RULES["palette-size"]
        message = rule.told(mesh=binding.mesh_object, joints=joints, profile=profile.label, entries=entries)
        # After splitting it deforms the same: the techniques agree to 1e-6.
        yield replace(rule.finding(binding.mesh_object, message), deviation=0.0, profile=profile.id)
    yield from findings_of_faces(binding, profile)
    if profile.shader.unmoved is Unmoved.NOT_DRAWN:
        yield from _not_drawn(binding, profile)


def _has_to_be_split(binding: Binding, entries: int) -> bool:
    """Whether a material needs more joints than a palette has; unsplit, each material is one draw call."""
    mesh = binding.mesh
    if mesh.material is None:
        return True
    return any(
        most_joints_of_a_material(one.skin, mesh.triangles, mesh.material) > entries for one in binding.passes
    )


def _not_drawn(binding: Binding, profile: Profile) -> Iterator[Finding]:
    without = np.ones(binding.mesh.vertex_count, dtype=bool)
    for one in binding.passes:
        without &= one.skin.weight_sums <= SMALLEST_MOVING_SUM
        if one.dropped is not None:
            # These had influences that have no palette entry: such a shader draws them at rest.
            without &= one.dropped == 0
    vertices = np.flatnonzero(without)
    if not len(vertices):
        return
    rule = RULES["not-drawn"]
    message = rule.told(count=len(vertices), mesh=binding.mesh_object, profile=profile.label)
    yield replace(
        rule.finding(binding.mesh_object, message),
        vertices=tuple(vertices.tolist()),
        count=len(vertices),
        # What isn't drawn can't be out of place.
        deviation=0.0,
        profile=profile.id,
    )


def _where(effect: Effect, bone: str) -> Message:
    clip = "" if effect.clip == ScenePlayback.name else effect.clip
    words = {"distance": format_length(effect.max), "frame": effect.frame, "bone": bone, "clip": clip}
    if bone and clip:
        return Message("up to {distance} at '{bone}', frame {frame:g} of '{clip}'", **words)
    if bone:
        return Message("up to {distance} at '{bone}', frame {frame:g}", **words)
    if clip:
        return Message("up to {distance}, frame {frame:g} of '{clip}'", **words)
    return Message("up to {distance}, frame {frame:g}", **words)


def _sentence(
    effect: Effect, binding: Binding, profile: Profile, bone: str, words: Mapping[str, object]
) -> Message:
    limit = influence_limit(profile)
    one = effect.rule == "influence-limit" and limit == 1
    return Message(
        (ONE_INFLUENCE if one else RULES[effect.rule].sentence).template,
        mesh=binding.mesh_object,
        profile=profile.label,
        where=_where(effect, bone),
        limit=limit,
        bits=profile.palette.index_bits,
        entries=profile.palette.entries,
        distance=format_length(effect.max),
        **words,
    )
