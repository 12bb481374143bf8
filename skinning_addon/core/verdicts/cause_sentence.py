"""The largest cause of a deviation, and what to do about it, as the end of a sentence that tells the
deviation.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..text.message import Clause, Message
from .finding import Finding
from .rules import RULES

_CAUSES = {one.id: one.cause for one in RULES.values() if one.cause}

NEGLIGIBLE = 0.1
"""A cause that does less than this share of its most at a vertex is not why that vertex is off."""


def with_cause(sentence: str, findings: Iterable[Finding], mesh_object: str, profile: str) -> Message:
    """Return a sentence, without full stop, with the cause that does most to a mesh under a profile, and its
    fix.

    The sentence tells where the mesh is furthest off, so what counts is what a cause does there: another may do
    more at other vertices. If no cause does much there by itself, none is named.
    """
    causes = [
        one
        for one in findings
        if one.rule in _CAUSES
        and (one.object, one.profile) == (mesh_object, profile)
        and one.deviation
        and _at_worst(one) >= NEGLIGIBLE * one.deviation
    ]
    if not causes:
        return Message(sentence)
    largest = max(causes, key=_at_worst)
    cause = Clause(_CAUSES[largest.rule])
    if not largest.fix:
        return Message("{sentence}, mostly because {cause}", sentence=sentence, cause=cause)
    fix = Clause(largest.fix)
    return Message("{sentence}, mostly because {cause}; {fix}", sentence=sentence, cause=cause, fix=fix)


def _at_worst(cause: Finding) -> float:
    return (cause.deviation or 0.0) if cause.at_worst is None else cause.at_worst
