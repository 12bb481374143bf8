"""The largest cause of a deviation, and what to do about it, as the end of a sentence that tells the deviation."""

from __future__ import annotations

from collections.abc import Iterable

from ..text.message import Clause, Message
from .finding import Finding

CAUSES = {
    "influence-limit": Message("Vertices have more influences than reach the shader"),
    "small-weights": Message("Weights are dropped by an exporter or importer because they are small"),
    "ignored-weights": Message("Weights too small for Blender to count move vertices in the engine"),
    "not-normalised": Message("Weights do not add up to one, and nobody divides by their sum"),
    "weight-precision": Message("Weights are stored in few bits"),
    "sheared-local-matrix": Message(
        "Bones shear relative to their parents, which translation, rotation and scale can't hold"
    ),
    "index-width": Message("There are more joints than an index can count"),
    "palette-overflow": Message("There are more bones than the palette has entries"),
    "component-scale": Message("Scales of bones are multiplied axis by axis, and their shear is lost"),
    "bendy-bones": Message("Bendy bones arrive as single stiff bones"),
    "preserve-volume": Message("Preserve Volume does not reach the engine"),
    "dual-quaternions": Message(
        "The engine blends dual quaternions, which bulge otherwise and drop scale and shear"
    ),
    "envelopes": Message("Bone envelopes do not reach the engine"),
    "masked-modifier": Message("The vertex group that limits an Armature modifier does not reach the engine"),
    "several-modifiers": Message("Of several Armature modifiers only the last reaches the engine"),
    "non-deform-bones": Message("Bones that do not deform in Blender do in the engine"),
}
"""By the rule's identifier: what makes a mesh deviate in an engine."""


NEGLIGIBLE = 0.1
"""A cause that does less than this share of its most at a vertex is not why that vertex is off."""


def with_cause(sentence: str, findings: Iterable[Finding], mesh_object: str, profile: str) -> Message:
    """Return a sentence, without full stop, with the cause that does most to a mesh under a profile, and its fix.

    The sentence tells where the mesh is furthest off, so what counts is what a cause does there: another may do more at other
    vertices. If no cause does much there by itself, none is named.
    """
    causes = [
        one
        for one in findings
        if one.rule in CAUSES
        and (one.object, one.profile) == (mesh_object, profile)
        and one.deviation
        and _at_worst(one) >= NEGLIGIBLE * one.deviation
    ]
    if not causes:
        return Message(sentence)
    largest = max(causes, key=_at_worst)
    cause = Clause(CAUSES[largest.rule])
    if not largest.fix:
        return Message("{sentence}, mostly because {cause}", sentence=sentence, cause=cause)
    fix = Clause(largest.fix)
    return Message("{sentence}, mostly because {cause}; {fix}", sentence=sentence, cause=cause, fix=fix)


def _at_worst(cause: Finding) -> float:
    return (cause.deviation or 0.0) if cause.at_worst is None else cause.at_worst
