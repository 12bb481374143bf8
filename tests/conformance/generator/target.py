"""The target of a model: a red copy of where the skin should be at the last instant, just behind it.

Seen from the front (along -Z, best without perspective) nothing red is visible while the skin is right.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.conformance.generator.document import Document
from tests.conformance.generator.rig import TARGET_COLOR, material, position_accessor
from tests.conformance.judge.skinned import Part

GAP = 0.1
"""Meters between the skin's back and the target's front."""


def add_target(document: Document, parts: Sequence[Part], right: Sequence[np.ndarray]) -> None:
    """Add the target to a document and its scene. right: of each part, (V, 3) positions."""
    depths = np.concatenate(right)[:, 2]
    behind = np.array([0.0, 0.0, depths.min() - depths.max() - GAP])
    name = {"name": "target"} if "name" in document.json["nodes"][0] else {}
    for part, positions in zip(parts, right, strict=True):
        skinned = document.json["meshes"][part.mesh]["primitives"][part.primitive]
        primitive = {
            "attributes": {"POSITION": position_accessor(document, positions + behind)},
            **({"indices": skinned["indices"]} if "indices" in skinned else {}),
            "material": material(document, "target", TARGET_COLOR),
        }
        mesh = document.add("meshes", **name, primitives=[primitive])
        document.json["scenes"][0]["nodes"].append(document.node(**name, mesh=mesh))
