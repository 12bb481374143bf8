"""An inspected vertex in words."""

from __future__ import annotations

import numpy as np

from ...core.inspection.vertex_trace import Contribution
from ...core.text.length import format_length
from ...core.text.message import Message
from .inspection import InspectedVertex

MOST_JOINTS = 4
"""Joints named beside the mouse; the panel lists all."""


def joint_name(contribution: Contribution) -> str:
    """Name a joint by its bone, with the joint's number if the bone is a bendy one."""
    if not contribution.bone:
        return Message("No bone")
    if contribution.segment is None:
        return contribution.bone
    return Message("{bone}, joint {number}", bone=contribution.bone, number=contribution.segment)


def mark_lines(seen: InspectedVertex, metres_per_unit: float) -> list[str]:
    """Say what fits beside the mouse: which vertex, what moves it, and how far it is off."""
    lines: list[str] = [vertex_of(seen)]
    for one in seen.trace.passes:
        by_weight = sorted(one.contributions, key=lambda each: -each.weight)
        lines += [
            Message("{share:.1f}% {joint}", share=100 * each.weight, joint=joint_name(each))
            for each in by_weight[:MOST_JOINTS]
        ]
        if len(by_weight) > MOST_JOINTS:
            lines.append(Message("{count} more joints", count=len(by_weight) - MOST_JOINTS))
    off = off_by(seen, metres_per_unit)
    return lines if off is None else [*lines, off]


def vertex_of(seen: InspectedVertex) -> Message:
    """Name the vertex and its mesh."""
    return Message("Vertex {number} of {mesh}", number=seen.trace.vertex, mesh=seen.preview.name)


def header_values(seen: InspectedVertex, metres_per_unit: float) -> list[Message]:
    """Say what fits in a header: which vertex, and how far it is off."""
    off = off_by(seen, metres_per_unit)
    return [vertex_of(seen)] if off is None else [vertex_of(seen), off]


def off_by(seen: InspectedVertex, metres_per_unit: float) -> Message | None:
    """Say how far the vertex lies from Blender's; None if unknown."""
    if seen.difference is None:
        return None
    distance = float(np.linalg.norm(seen.difference)) * metres_per_unit
    return Message("Off by {distance}", distance=format_length(distance))
