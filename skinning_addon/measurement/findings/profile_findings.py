"""Findings about a mesh under a profile: each cause of deviation with what it alone does, in one sentence."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...core.groups.partition import most_joints_of_a_material
from ...core.profiles.aspects import influence_limit
from ...core.profiles.profile import Profile, Unmoved
from ...core.skinning.binding import Binding
from ...core.skinning.skin import SMALLEST_MOVING_SUM
from ...core.text.length import format_length
from ...core.text.message import Message
from ...core.verdicts.finding import REMAINDER, Finding, Severity
from ...core.verdicts.verdict import FAIL, GOOD, INVISIBLE, Thresholds
from ...scene.clips.playback import ScenePlayback
from ..frame.attribution import Effect
from ..frame.body_parts import BodyParts
from .partition_findings import findings_of_faces
from .weight_findings import FIX_OF_STRAY_VERTICES

ONE_INFLUENCE = Message("{profile} takes one influence a vertex; '{mesh}' has more: {where}.")

SENTENCES = {
    "influence-limit": Message("{profile} takes {limit} influences a vertex; '{mesh}' has more: {where}."),
    "small-weights": Message("Small weights of '{mesh}' are dropped on the way to {profile}: {where}."),
    "ignored-weights": Message(
        "Vertices of '{mesh}' whose weights are too small for Blender to count do move in {profile}: {where}."
    ),
    "not-normalised": Message(
        "Weights of '{mesh}' do not add up to one, and {profile} does not divide by their sum: {where}."
    ),
    "weight-precision": Message("{profile} stores the weights of '{mesh}' with less precision: {where}."),
    "sheared-local-matrix": Message(
        "Bones of '{mesh}' shear relative to their parents, and shear is lost on the way to {profile}: {where}."
    ),
    "index-width": Message(
        "{profile} counts the joints of '{mesh}' in {bits} bits, which are too few; the last ones are taken for the first: "
        "{where}."
    ),
    "palette-overflow": Message(
        "{profile} has room for {entries} bones, and '{mesh}' has more; vertices of the others stay at rest: {where}."
    ),
    "component-scale": Message(
        "{profile} joins the scales of bones axis by axis, and loses their shear; in '{mesh}' that is {where}."
    ),
    "bendy-bones": Message("Bendy bones of '{mesh}' arrive in {profile} as single stiff bones: {where}."),
    "preserve-volume": Message(
        "'{mesh}' preserves volume in Blender, and {profile} blends linearly: {where}."
    ),
    "dual-quaternions": Message(
        "{profile} blends '{mesh}' by dual quaternions, which drop scale and shear: {where}."
    ),
    "envelopes": Message("Bone envelopes that move '{mesh}' do not reach {profile}: {where}."),
    "masked-modifier": Message(
        "The vertex group that limits an Armature modifier of '{mesh}' is ignored on the way to {profile}: {where}."
    ),
    "several-modifiers": Message(
        "Of the Armature modifiers of '{mesh}' only the last reaches {profile}: {where}."
    ),
    "non-deform-bones": Message(
        "Bones that do not deform '{mesh}' in Blender, but have vertex groups, do in {profile}: {where}."
    ),
    REMAINDER: Message(
        "Causes act on one another in '{mesh}' under {profile}: what none of them does alone is {where}."
    ),
}
"""By the rule's identifier: what a cause does. `where` is how far, at which bone and frame."""

FIXES = {
    "influence-limit": Message(
        "Limit the influences in Blender (Weights > Limit Total) and mend what shows, or export more where the engine "
        "takes more."
    ),
    "small-weights": Message("Clean the vertex groups (Weights > Clean) and mend what shows."),
    "ignored-weights": Message("Clean the vertex groups (Weights > Clean) and mend what shows."),
    "not-normalised": Message("Normalise the weights (Weights > Normalize All)."),
    "index-width": Message("Split the mesh, or weight it to fewer bones."),
    "palette-overflow": Message("Split the mesh, or weight it to fewer bones."),
    "sheared-local-matrix": Message(
        "Export deformation bones only, with a flattened bone hierarchy; or keep uneven scale from being inherited."
    ),
    "component-scale": Message("Keep uneven scale from being inherited, or scale all axes alike."),
    "bendy-bones": Message("Replace bendy bones by chains of plain ones before the export."),
    "preserve-volume": Message("Switch off Preserve Volume while you weight, and add twist bones."),
    "envelopes": Message("Turn envelopes into vertex groups (Weights > Assign from Bone Envelopes)."),
    "masked-modifier": Message("Take the modifier's vertex group away, and weight the bones instead."),
    "several-modifiers": Message("Join the armatures into one."),
    "non-deform-bones": Message("Export deformation bones only, or remove the vertex groups of those bones."),
}
"""By the rule's identifier: what to do about it."""


def findings_of_effects(
    effects: tuple[Effect, ...],
    binding: Binding,
    profile: Profile,
    body: BodyParts,
    thresholds: Thresholds = (INVISIBLE, GOOD, FAIL),
) -> Iterator[Finding]:
    """Report what can be seen of each cause. thresholds: in metres, for a figure of the usual height."""
    invisible, good, fail = thresholds
    for effect in effects:
        body = body.of_mesh(len(effect.distance))
        times = effect.distance / body.limits(1.0)
        seen = np.flatnonzero(times > invisible)
        # A remainder that no cause stands beside is rounding, or what the binding's own reasons say.
        if not len(seen) or (effect.rule == REMAINDER and len(effects) == 1):
            continue
        most = float(times.max())
        order = seen[np.argsort(-effect.distance[seen], kind="stable")]
        yield Finding(
            rule=effect.rule,
            severity=Severity.ERROR if most > fail else Severity.WARNING if most > good else Severity.INFO,
            object=binding.mesh_object,
            message=_sentence(effect, binding, profile, str(body.bones[order[0]])),
            fix=FIXES.get(effect.rule, ""),
            vertices=tuple(order.tolist()),
            count=len(seen),
            deviation=effect.max,
            clip=effect.clip,
            frame=effect.frame,
            profile=profile.id,
            at_worst=effect.at_worst,
        )


def findings_of_drawing(binding: Binding, profile: Profile) -> Iterator[Finding]:
    """Report what an engine can't draw as it stands: more joints than its palette holds, faces that no split helps, and
    vertices without influences where its shader has no position for them.
    """
    joints = max((len(one.joints) - 1 for one in binding.passes), default=0)
    entries = profile.palette.split_at
    if entries is not None and joints > entries and _has_to_be_split(binding, entries):
        yield Finding(
            rule="palette-size",
            severity=Severity.WARNING,
            object=binding.mesh_object,
            message=Message(
                "'{mesh}' needs {joints} joints; {profile} draws with {entries} at once, so the mesh has to be split.",
                mesh=binding.mesh_object,
                joints=joints,
                profile=profile.label,
                entries=entries,
            ),
            fix=Message("Split the mesh, or weight it to fewer bones."),
            # Split, it deforms the same: the techniques agree to 1e-6.
            deviation=0.0,
            profile=profile.id,
        )
    yield from findings_of_faces(binding, profile)
    if profile.shader.unmoved is Unmoved.NOT_DRAWN:
        yield from _not_drawn(binding, profile)


def _has_to_be_split(binding: Binding, entries: int) -> bool:
    """Tell whether a material needs more joints than a palette has; each is a draw call of its own as it is."""
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
            # These had influences, and the palette had no entry for them: such a shader draws them at rest.
            without &= one.dropped == 0
    vertices = np.flatnonzero(without)
    if not len(vertices):
        return
    yield Finding(
        rule="not-drawn",
        severity=Severity.WARNING,
        object=binding.mesh_object,
        message=Message(
            "{count:,} vertices of '{mesh}' are weighted to no bone; {profile} adds up nothing for them, (0, 0, 0, 0), and "
            "can't draw their faces.",
            count=len(vertices),
            mesh=binding.mesh_object,
            profile=profile.label,
        ),
        fix=FIX_OF_STRAY_VERTICES,
        vertices=tuple(vertices.tolist()),
        count=len(vertices),
        # Where nothing is drawn, nothing lies elsewhere.
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


def _sentence(effect: Effect, binding: Binding, profile: Profile, bone: str) -> Message:
    limit = influence_limit(profile)
    one = effect.rule == "influence-limit" and limit == 1
    return Message(
        (ONE_INFLUENCE if one else SENTENCES[effect.rule]).template,
        mesh=binding.mesh_object,
        profile=profile.label,
        where=_where(effect, bone),
        limit=limit,
        bits=profile.palette.index_bits,
        entries=profile.palette.entries,
    )
