"""Ends a sentence about a deviation with its largest cause and the fix."""

from __future__ import annotations

from collections.abc import Iterable

from ..text.message import Clause, Message
from .finding import Finding
from .rules import RULES

_CAUSES = {one.id: one.cause for one in RULES.values() if one.cause}

NEGLIGIBLE = 0.1
"""At a vertex, a cause below this share of its own largest deviation does not explain that vertex."""


def with_cause(sentence: str, findings: Iterable[Finding], mesh_object: str, profile: str) -> Message:
    """Extend a sentence with the largest cause of a mesh's deviation under a profile, and its fix; no full
    stop.

    The sentence is about the point where the mesh is furthest off, so causes are compared there: another cause
    may do more at other vertices. If no cause does much there by itself, none is named.
    """
    largest = largest_cause(findings, mesh_object, profile)
    if largest is None:
        return Message(sentence)
    cause = Clause(_CAUSES[largest.rule])
    if not largest.fix:
        return Message("{sentence}, mostly because {cause}", sentence=sentence, cause=cause)
    fix = Clause(largest.fix)
    return Message("{sentence}, mostly because {cause}; {fix}", sentence=sentence, cause=cause, fix=fix)


def largest_cause(findings: Iterable[Finding], mesh_object: str, profile: str) -> Finding | None:
    """Return the finding that does most where a mesh is furthest off; None if none does much there by
    itself.
    """
    causes = [
        one
        for one in findings
        if one.rule in _CAUSES
        and (one.object, one.profile) == (mesh_object, profile)
        and one.deviation
        and _at_worst(one) >= NEGLIGIBLE * one.deviation
    ]
    return max(causes, key=_at_worst, default=None)


def cause_of(finding: Finding) -> Message:
    """Say why a finding has the effect it has: 'Preserve Volume does not reach the engine'."""
    return Message(_CAUSES[finding.rule])


def _at_worst(cause: Finding) -> float:
    return (cause.deviation or 0.0) if cause.at_worst is None else cause.at_worst
