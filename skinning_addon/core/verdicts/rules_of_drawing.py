"""Rules about meshes that an engine can't draw as they are."""

from __future__ import annotations

from ..text.message import Message
from .finding import Severity
from .rule import Rule
from .rules_of_rigs import STRAY

SPLIT = Message("Split the mesh, or weight it to fewer bones.")

RULES_OF_DRAWING = (
    Rule(
        id="palette-size",
        severity=Severity.WARNING,
        name=Message("Palette Size"),
        about="A mesh has more joints than one draw call supports",
        details=(
            "more joints than a draw call of one material can have: the mesh has to be split, and "
            "then deforms the same (`deviation` 0)"
        ),
        sentence=Message(
            "'{mesh}' needs {joints} joints, but {profile} supports {entries} per draw call, so the mesh "
            "has to be split."
        ),
        fix=SPLIT,
    ),
    Rule(
        id="not-drawn",
        severity=Severity.WARNING,
        name=Message("Not Drawn"),
        about="Vertices without influences have no position in the engine's shader",
        details=(
            "vertices without influences, for which the shader adds up (0, 0, 0, 0), so their faces "
            "can't be drawn (`deviation` 0)"
        ),
        sentence=Message(
            "{count:,} vertices of '{mesh}' are not weighted to a bone; {profile} computes (0, 0, 0, 0) "
            "for them and can't draw their faces."
        ),
        singular=Message(
            "A vertex of '{mesh}' is not weighted to a bone; {profile} computes (0, 0, 0, 0) for it and can't "
            "draw its faces."
        ),
        fix=STRAY,
    ),
    Rule(
        id="face-exceeds-palette",
        severity=Severity.WARNING,
        name=Message("Large Faces"),
        about="Faces need more joints than a draw call supports",
        details=(
            "faces that can't be drawn however the mesh is split. The CPU has to skin them, and they "
            "then deform the same (`deviation` 0); an engine that can't do that leaves them out"
        ),
        sentence=Message(
            "{count:,} triangles of '{mesh}' each need more than the {limit} joints that {profile} "
            "supports per draw call; splitting the mesh doesn't help, so they have to be skinned on the "
            "CPU."
        ),
        singular=Message(
            "A triangle of '{mesh}' needs more than the {limit} joints that {profile} supports per draw call; "
            "splitting the mesh doesn't help, so it has to be skinned on the CPU."
        ),
        fix=Message(
            "Limit the influences in Blender (Weights > Limit Total) until the three corners of each "
            "triangle need few enough joints."
        ),
    ),
)
