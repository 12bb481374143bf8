"""The kinds of features in random rigs, and how a recipe is drawn and built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from tests.fuzz.rigs import motion, relations, surroundings
from tests.fuzz.rigs.modifiers import add_modifier, modifier_types
from tests.fuzz.rigs.plain_rig import Rig, plain_rig
from tests.fuzz.rigs.recipe import PLACES, Feature, Recipe


@dataclass(frozen=True)
class Kind:
    """apply: adds it to a rig. details: the variants of the kind. share: of the features that are drawn.

    Features are added in the order of the kinds here, whatever the order in which they were drawn.
    """

    apply: Callable[[Rig, Feature], None]
    details: Callable[[], tuple[str, ...]] = lambda: ("",)
    share: float = 1.0


KINDS: dict[str, Kind] = {
    "weights": Kind(surroundings.weights, lambda: surroundings.WEIGHTS, 1),
    "time": Kind(motion.time, lambda: motion.TIMES, 1),
    "shape keys": Kind(motion.shape_keys, lambda: motion.SHAPES, 1.5),
    "bendy": Kind(relations.bendy, share=0.7),
    "inherit": Kind(relations.inherit, share=0.7),
    "envelopes": Kind(relations.envelopes, share=0.7),
    "armature settings": Kind(relations.armature_settings, share=1.5),
    "modifier": Kind(add_modifier, modifier_types, 8),
    "transform": Kind(
        relations.transform,
        lambda: tuple(f"{one} {how}" for one in ("mesh", "armature", "both") for how in relations.TRANSFORMS),
        1.5,
    ),
    "parent of mesh": Kind(relations.parent_mesh, lambda: relations.PARENTS, 1),
    "parent of armature": Kind(
        relations.parent_armature,
        lambda: tuple(
            one for one in relations.PARENTS if not one.endswith("RIG") and one.startswith(("O", "B", "V"))
        ),
        0.7,
    ),
    "bone constraint": Kind(relations.bone_constraint, relations.constraint_types, 1.5),
    "object constraint": Kind(
        relations.object_constraint,
        lambda: tuple(
            f"{one} {kind}" for one in ("mesh", "armature") for kind in relations.constraint_types()
        ),
        0.7,
    ),
    "keyed object": Kind(motion.keyed_object, lambda: ("mesh", "armature", "thing"), 0.7),
    "keyed modifier": Kind(motion.keyed_modifier, lambda: motion.MODIFIERS, 1),
    "driven modifier": Kind(motion.driven_modifier, lambda: motion.MODIFIERS, 0.7),
    "keyed bone": Kind(motion.keyed_bone, motion.bone_settings, 1),
    "driven bone": Kind(motion.driven_bone, motion.bone_settings, 0.7),
    "names": Kind(surroundings.names, lambda: surroundings.NAMES, 0.7),
    "scene": Kind(surroundings.scene, lambda: surroundings.SCENES, 1),
    "library": Kind(surroundings.library, lambda: surroundings.LIBRARIES, 0.5),
}

MOST_FEATURES = 5


def draw(seed: int) -> Recipe:
    """Draw a rig's recipe."""
    random = np.random.default_rng(seed)
    shares = np.array([kind.share for kind in KINDS.values()])
    features: list[Feature] = []
    for _ in range(int(random.integers(1, MOST_FEATURES + 1))):
        name = str(random.choice(list(KINDS), p=shares / shares.sum()))
        details = KINDS[name].details()
        detail = details[int(random.integers(len(details)))]
        place = PLACES[int(random.integers(len(PLACES)))] if name == "modifier" else ""
        # One of each kind, except those of which a rig may have many.
        if name in {"modifier", "bone constraint"} or not any(one.kind == name for one in features):
            features.append(Feature(name, detail, place, int(random.integers(2**31))))
    return Recipe(seed, tuple(features))


def build(recipe: Recipe, folder: Path) -> Rig:
    """Build a recipe in an empty scene."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    folder.mkdir(parents=True, exist_ok=True)
    rig = plain_rig(recipe.seed, folder)
    order, places = list(KINDS), ("", *PLACES)
    for feature in sorted(recipe.features, key=lambda one: (order.index(one.kind), places.index(one.place))):
        rig.random = np.random.default_rng(feature.seed)
        KINDS[feature.kind].apply(rig, feature)
    bpy.context.view_layer.update()
    # Anything that asks for a curve's path after the curve was evaluated finds none until it is evaluated
    # again, as happens when a file is opened.
    for curve in bpy.data.curves:
        curve.update_tag()
    bpy.context.view_layer.update()
    bpy.context.scene.frame_set(int(rig.frames[0]))
    return rig
