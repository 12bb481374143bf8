"""The expected outcomes, written by hand: for each type of modifier at each place, and for every other feature.

Exact is always right, because it is compared with Blender. The entries here are the minimum that is good
enough, and why. A type without an entry, such as one introduced by a new Blender, must be exact or named.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from tests.fuzz.rigs.recipe import BEFORE, BEHIND, BETWEEN, Feature, Recipe


class Result(IntEnum):
    """Outcomes of a rig, best first."""

    EXACT = 0
    NAMED = 1
    """Not reproduced, and a sentence says so and names the cause."""
    REFUSED = 2
    """Not skinned at all, and a sentence says why."""


@dataclass(frozen=True)
class Expected:
    """result: the minimum that is right. rules: those that may name the cause. reason: why it isn't better."""

    result: Result
    rules: frozenset[str] = frozenset()
    reason: str = ""


EXACT = Expected(Result.EXACT)

ALONE = (
    "It only moves or adds vertices by its settings: what it makes goes into the armature, and can be read."
)
KEEPS = "It leaves every vertex where it is."
SIMULATED = "What it makes of a frame depends on the frames before, which a copy has not seen."
UNKNOWN = "A new type: it has to be exact, or named."

SIMULATION_RULES = frozenset({"simulation-before", "copy-differs", "vertices-differ", "no comparison"})
BETWEEN_RULES = frozenset({"modifier-between", "vertices-differ", "no comparison"})

KEEPING = frozenset(
    {
        "EDGE_SPLIT",
        "NODES:smooth by angle",
        "NORMAL_EDIT",
        "TRIANGULATE",
        "UV_PROJECT",
        "UV_WARP",
        "WEIGHTED_NORMAL",
    }
)
"""Types that leave every vertex and its weights unchanged, wherever they are."""

WEIGHING = frozenset({"DATA_TRANSFER", "VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY"})
"""Types that change weights, which the next armature then uses."""

IDLE = frozenset({"COLLISION", "SURFACE", "PARTICLE_SYSTEM"})
"""Types that others refer to but that don't change the mesh themselves. They may be named: users wouldn't miss
exactness there."""

DEFORMING = frozenset(
    {
        "CAST",
        "CORRECTIVE_SMOOTH",
        "CURVE",
        "DISPLACE",
        "HOOK",
        "LAPLACIANDEFORM",
        "LAPLACIANSMOOTH",
        "LATTICE",
        "MESH_CACHE",
        "MESH_DEFORM",
        "SHRINKWRAP",
        "SIMPLE_DEFORM",
        "SMOOTH",
        "SURFACE_DEFORM",
        "WARP",
        "WAVE",
    }
)
"""Types that move vertices without adding any."""

GENERATING = frozenset(
    {
        "ARRAY",
        "BEVEL",
        "BOOLEAN",
        "BUILD",
        "DECIMATE",
        "MASK",
        "MESH_SEQUENCE_CACHE",
        "MIRROR",
        "MULTIRES",
        "OCEAN",
        "REMESH",
        "SCREW",
        "SKIN",
        "SOLIDIFY",
        "SUBSURF",
        "VOLUME_TO_MESH",
        "WELD",
        "WIREFRAME",
        "NODES:attribute",
        "NODES:collection joined",
        "NODES:moves",
        "NODES:nested",
        "NODES:object input",
        "NODES:object inside",
        "NODES:self object",
        "NODES:subdivides",
        "NODES:time",
    }
)
"""Types that may change the topology."""

SIMULATING = frozenset({"CLOTH", "DYNAMIC_PAINT", "EXPLODE", "FLUID", "PARTICLE_INSTANCE", "SOFT_BODY"})


def expected_of_modifier(kind: str, place: str) -> Expected:
    """Return the expected outcome of a type of modifier at a place."""
    if place == BEHIND:
        return Expected(Result.EXACT, reason="The mesh is compared as the armature leaves it.")
    if kind == "ARMATURE":
        return Expected(Result.EXACT, reason="One more pass.")
    if kind in KEEPING:
        return Expected(Result.EXACT, reason=KEEPS)
    if place == BETWEEN:
        if kind in WEIGHING:
            return Expected(
                Result.NAMED, BETWEEN_RULES, "A skinned mesh has its weights once, for every armature."
            )
        if kind in IDLE | DEFORMING | GENERATING | SIMULATING:
            reason = "A skinned mesh holds one mesh and a chain of armatures, and nothing between them."
            return Expected(Result.REFUSED, BETWEEN_RULES | _rules_before(kind), reason)
        return Expected(Result.REFUSED, BETWEEN_RULES | SIMULATION_RULES, UNKNOWN)
    if kind in DEFORMING | GENERATING | IDLE | WEIGHING:
        return Expected(Result.EXACT, reason=ALONE)
    if kind in SIMULATING:
        return Expected(Result.NAMED, SIMULATION_RULES, SIMULATED)
    return Expected(Result.NAMED, SIMULATION_RULES, UNKNOWN)


def _rules_before(kind: str) -> frozenset[str]:
    return SIMULATION_RULES if kind in SIMULATING else frozenset()


UNCOMPARED = Expected(
    Result.NAMED,
    frozenset({"no comparison", "copy-differs"}),
    "What its target is to it depends on how that stands in its scene, which a copy may not reproduce; the "
    "copy is compared with Blender's whole stack, and what differs is refused.",
)
"""For constraints: with modifiers after the armature, a preview compares with a copy of the rig."""

PASSING_OVER = Expected(
    Result.NAMED,
    frozenset({"modifier-passed-over"}),
    "With Multi Modifier and a vertex group below a lattice or a mesh deform, an armature starts from "
    "before that for a part of each vertex.",
)

OTHERS: dict[tuple[str, str], Expected] = {
    ("armature settings", ""): PASSING_OVER,
    ("bendy", ""): Expected(
        Result.NAMED, frozenset({"bone-without-length"}), "Scaled to zero at rest, a joint has no inverse."
    ),
    ("parent of mesh", "LATTICE LATTICE"): Expected(
        Result.NAMED,
        frozenset({"copy-differs", "no comparison"}),
        "A parent that deforms is no armature, and no file holds it.",
    ),
    ("parent of mesh", "DEFORM CURVE"): Expected(
        Result.NAMED,
        frozenset({"copy-differs", "no comparison"}),
        "A parent that deforms is no armature, and no file holds it.",
    ),
    ("keyed modifier", "armature"): Expected(
        Result.REFUSED,
        frozenset({"no-armature"}),
        "Where the only armature modifier is off, no armature deforms the mesh.",
    ),
    ("driven modifier", "armature"): Expected(
        Result.REFUSED,
        frozenset({"no-armature"}),
        "Where the only armature modifier is off, no armature deforms the mesh.",
    ),
    ("keyed modifier", "between"): Expected(
        Result.REFUSED,
        frozenset({"no-armature"}),
        "Where the only armature modifier is off, no armature deforms the mesh.",
    ),
    ("driven modifier", "between"): Expected(
        Result.REFUSED,
        frozenset({"no-armature"}),
        "Where the only armature modifier is off, no armature deforms the mesh.",
    ),
}
"""Features other than modifiers that need not be exact, by kind and detail."""


def expected_of(recipe: Recipe, feature: Feature) -> Expected:
    """Return the expected outcome of a feature of a rig."""
    if feature.kind == "modifier":
        expected = expected_of_modifier(feature.detail, recipe.place_of(feature))
        if expected.result is Result.EXACT and recipe.place_of(feature) == BEFORE:
            return _with_a_past(recipe, feature) or expected
        switched = any(one.kind in {"keyed modifier", "driven modifier"} for one in recipe.features)
        if feature.detail in SIMULATING and recipe.place_of(feature) == BEHIND and switched:
            reason = (
                "Where keys switch the armature off, a preview shows the mesh as the whole stack leaves it."
            )
            return Expected(Result.NAMED, expected.rules | SIMULATION_RULES, reason)
        thin = any(one.kind == "transform" and one.detail.endswith("thin") for one in recipe.features)
        if feature.detail == "BOOLEAN" and thin:
            reason = (
                "It cuts by signs, and Blender's own rounding, magnified by uneven scales, makes "
                "another cut of a copy."
            )
            return Expected(Result.NAMED, expected.rules | {"no comparison"}, reason)
        return expected
    default = UNCOMPARED if feature.kind == "bone constraint" else EXACT
    return OTHERS.get((feature.kind, feature.detail), default)


def _with_a_past(recipe: Recipe, feature: Feature) -> Expected | None:
    """Return the expected outcome of a modifier before the armature whose result depends on its own past, if
    that shows.
    """
    if feature.detail == "LAPLACIANDEFORM" and recipe.has("shape keys"):
        reason = (
            "It goes on from the shape that it was first evaluated with, which a copy has not seen; "
            "shape keys make another."
        )
        return Expected(Result.NAMED, frozenset({"copy-differs", "no comparison"}), reason)
    behind = {
        one.detail for one in recipe.features if one.kind == "modifier" and recipe.place_of(one) == BEHIND
    }
    splits = recipe.has("modifier", "EDGE_SPLIT")
    if feature.detail == "NORMAL_EDIT" and (behind - KEEPING or splits):
        reason = (
            "It turns a face towards its target by the sign of a product, and a face seen edge-on comes "
            "out turned the other way in a copy, whose target stands there by another product of matrices; "
            "what is behind then makes other vertices of it, or splits others."
        )
        return Expected(Result.NAMED, frozenset({"copy-differs", "no comparison", "vertices-differ"}), reason)
    if feature.detail in {"LAPLACIANDEFORM", "OCEAN"} and behind & SIMULATING:
        reason = "Whether its copy comes out alike has to be seen, and behind it stands what never does."
        return Expected(Result.NAMED, frozenset({"copy-differs", "no comparison"}), reason)
    return None
