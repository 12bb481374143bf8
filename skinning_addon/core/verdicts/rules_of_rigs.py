"""Rules that apply to every engine: a mesh's binding, modifiers, weights, scales and names."""

from __future__ import annotations

from ..text.message import Message
from .finding import Severity
from .rule import Rule

_CUT = Message("Apply the modifier, or move it below the last Armature modifier.")
STRAY = Message("Weight them, for example to the nearest bone.")
"""The fix for vertices without a bone."""

_APPLY_SCALE = Message("Apply the scale.")
_FIX_STRAY = "skinscope.fix_stray"
_FIX_SCALE = "skinscope.fix_scale"

RULES_OF_BINDINGS = (
    Rule(
        id="no-armature",
        severity=Severity.WARNING,
        name=Message("No Armature"),
        about="An Armature modifier has no armature",
        details="an Armature modifier has no armature",
        sentence=Message("The modifier '{modifier}' of '{mesh}' has no armature, so it does nothing."),
        fix=Message("Choose the armature as the modifier's Object, or remove the modifier."),
    ),
    Rule(
        id="no-weights",
        severity=Severity.WARNING,
        name=Message("No Weights"),
        about="No deforming bone moves the mesh",
        sentence=Message(
            "None of the vertices of '{mesh}' is weighted to a deforming bone of {armatures}, so nothing "
            "moves it."
        ),
        fix=Message(
            "Give the mesh vertex groups named after the bones, for example with Parent > With Automatic "
            "Weights."
        ),
    ),
    Rule(
        id="modifier-between",
        severity=Severity.WARNING,
        name=Message("Modifier Between"),
        about="Something changes the mesh between two armatures",
        details=(
            "something changes the mesh between two armatures; Blender's result can't be reproduced exactly"
        ),
        sentence=Message("'{modifier}' is between two Armature modifiers of '{mesh}'."),
        fix=Message("Move it above the first Armature modifier or below the last one, or apply it."),
    ),
    Rule(
        id="modifier-passed-over",
        severity=Severity.WARNING,
        name=Message("Modifier Passed Over"),
        about="An armature partly discards the modifier above it",
        details=(
            "the first armature modifier has Multi Modifier on and a vertex group, and is right below "
            "a lattice or a mesh deform: it starts from before that modifier as far as the group lets "
            "it, which can't be reproduced exactly (without the group it can)"
        ),
        sentence=Message(
            "'{armature}' of '{mesh}' (Multi Modifier) discards the result of '{modifier}' where its "
            "vertex group applies, and keeps it elsewhere."
        ),
        fix=Message("Switch off Multi Modifier on the Armature modifier, or remove its vertex group."),
    ),
    Rule(
        id="simulation-before",
        severity=Severity.WARNING,
        name=Message("Simulation"),
        about="A simulation changes the mesh before the armature does",
        details=(
            "a simulation (cloth, soft body, dynamic paint, fluid, exploding or instanced particles, "
            "simulation nodes) changes the mesh before the armature does, by a cache that came with "
            "the file; `check` simulates a twin of the mesh, and reports this if the twin differs "
            "from the mesh"
        ),
        sentence=Message(
            "The result of '{modifier}' on '{mesh}' before the armature depends on earlier frames or a "
            "cache, so it can't be reproduced on a copy of the mesh."
        ),
        fix=_CUT,
    ),
    Rule(
        id="copy-differs",
        severity=Severity.WARNING,
        name=Message("Copy Differs"),
        about="A copy of the mesh differs from what Blender shows",
        details=(
            "a modifier before the armature gives another result on a copy than on the mesh, so the "
            "armature's input is not known exactly"
        ),
        sentence=Message(
            "A copy of '{mesh}' differs from the mesh that Blender shows, so the result right before its "
            "armature can't be read; '{modifier}' is the likely cause."
        ),
        fix=_CUT,
    ),
    Rule(
        id="collapsed-bone",
        severity=Severity.WARNING,
        name=Message("Collapsed Bone"),
        about="A bone used by Preserve Volume collapses to a line",
        details=(
            "constraints or scales pose a bone onto a line; Preserve Volume needs the bone's "
            "rotation, which is only rounding then, in Blender too"
        ),
        sentence=Message(
            "'{bone}' of '{armature}' collapses to a line in a pose, so its rotation, and with it the "
            "result of Preserve Volume on '{mesh}', depends on rounding; fix its constraints or scale, or "
            "switch Preserve Volume off."
        ),
    ),
    Rule(
        id="uneven-precision",
        severity=Severity.WARNING,
        name=Message("Uneven Precision"),
        about="Uneven scales magnify Blender's own rounding",
        details=(
            "the mesh or its armature is scaled so unevenly that it magnifies Blender's own rounding, "
            "which explains the deviation"
        ),
        sentence=Message(
            "'{mesh}' or '{armature}' is scaled so unevenly (1 : {ratio:,.0f}) that the deviation is "
            "within Blender's own rounding; apply the scale."
        ),
    ),
    Rule(
        id="distant-precision",
        severity=Severity.WARNING,
        name=Message("Distant Precision"),
        about="Blender's own numbers are coarse far from the origin",
        details="the mesh or its armature is so far from the world's origin for its size that Blender's "
        "own rounding explains the deviation",
        sentence=Message(
            "'{mesh}' or '{armature}' is so far from the world origin for its size that the deviation is "
            "within Blender's own rounding; move both closer to the origin, or scale them up."
        ),
    ),
    Rule(
        id="driver-cycle",
        severity=Severity.WARNING,
        name=Message("Driver Cycle"),
        about="A bone's setting is driven by something that depends on it",
        details="a setting of a bone is driven by the bone itself or by one below it, and the mesh "
        "deviates because Blender deforms it with the value of another frame",
        sentence=Message(
            "'{setting}' of '{bone}' in '{armature}' is driven by '{by}', which depends on it, so Blender "
            "deforms '{mesh}' with the value of another frame; drive it by an object, or by a bone that is "
            "not below it."
        ),
    ),
    Rule(
        id="bone-without-length",
        severity=Severity.WARNING,
        name=Message("Bone Without Length"),
        about="A bone that moves vertices has zero length",
        details="a bone that moves vertices has zero length, or is a bendy bone scaled to zero at rest; "
        "Blender's result can't be reproduced there",
    ),
    Rule(
        id="modifier-after",
        severity=Severity.INFO,
        name=Message("Modifier After"),
        about="A modifier changes the mesh after the armature",
        details=(
            "a modifier after the armature, switched off for the comparison; `deviation` is what it "
            "alone adds"
        ),
        sentence=Message(
            "'{modifier}' changes '{mesh}' after the armature, which engines don't do; the mesh is "
            "compared as it is right after the armature."
        ),
        fix=Message("Apply it before exporting the rig, or leave it out on purpose."),
    ),
    Rule(
        id="shape-key-order",
        severity=Severity.WARNING,
        name=Message("Shape Key Order"),
        about="Shape keys are absolute, or a modifier stands between them and the armature",
        details=(
            "a modifier between shape keys and armature, or absolute keys; `deviation` is the effect "
            "that is lost with the modifier, or with the keys"
        ),
    ),
    Rule(
        id="visibility-differs",
        severity=Severity.WARNING,
        name=Message("Visibility Differs"),
        about="An Armature modifier is on in the viewport and off in renders, or vice versa",
        details="an Armature modifier that is on in the viewport and off in renders, or vice versa",
        fix=Message("Switch the modifier on or off in both, so that the viewport matches the render."),
    ),
)

RULES_OF_WEIGHTS = (
    Rule(
        id="unweighted-vertices",
        severity=Severity.WARNING,
        name=Message("Unweighted Vertices"),
        about="Vertices are not weighted to a bone",
        details="some vertices have no weight for any bone; they stay behind, in Blender too",
        sentence=Message(
            "{count:,} vertices of '{mesh}' are not weighted to a bone and stay behind when the character "
            "moves."
        ),
        singular=Message(
            "A vertex of '{mesh}' is not weighted to a bone and stays behind when the character moves."
        ),
        fix=STRAY,
        operator=_FIX_STRAY,
    ),
    Rule(
        id="all-zero-weights",
        severity=Severity.WARNING,
        name=Message("Zero Weights"),
        about="All weights of some vertices are zero",
        details="all weights of some vertices are zero; every importer treats these vertices differently",
        sentence=Message(
            "All weights of {count:,} vertices of '{mesh}' are zero; engines attach such vertices to the "
            "first bone, to the origin, or to nothing."
        ),
        singular=Message(
            "All weights of a vertex of '{mesh}' are zero; engines attach such vertices to the first bone, "
            "to the origin, or to nothing."
        ),
        fix=STRAY,
        operator=_FIX_STRAY,
    ),
    Rule(
        id="groups-without-bone",
        severity=Severity.INFO,
        name=Message("Groups Without Bone"),
        about="Vertex groups have no bone of their name",
        details="vertex groups that have no bone of their name, and no other use",
        sentence=Message(
            "{count} vertex groups of '{mesh}' don't match a bone name, such as '{group}'; their weights "
            "are lost."
        ),
        singular=Message(
            "The vertex group '{group}' of '{mesh}' doesn't match a bone name; its weights are lost."
        ),
        fix=Message("Remove the groups, or rename them to match their bones."),
        operator="skinscope.fix_groups",
    ),
    Rule(
        id="non-uniform-scale",
        severity=Severity.WARNING,
        name=Message("Uneven Scale"),
        about="An object is scaled unevenly",
        details="the mesh or armature object is scaled unevenly",
        sentence=Message(
            "'{object}' is scaled unevenly, so parts that rotate inside it are sheared, which engines "
            "can't represent."
        ),
        fix=_APPLY_SCALE,
        operator=_FIX_SCALE,
    ),
    Rule(
        id="negative-scale",
        severity=Severity.WARNING,
        name=Message("Negative Scale"),
        about="An object is mirrored by a negative scale",
        details="the mesh or armature object is mirrored",
        sentence=Message(
            "'{object}' is mirrored by a negative scale, so engines turn its faces inside out or mirror "
            "its bones."
        ),
        fix=_APPLY_SCALE,
        operator=_FIX_SCALE,
    ),
    Rule(
        id="object-scale",
        severity=Severity.INFO,
        name=Message("Object Scale"),
        about="An object's scale is not 1",
        details="the mesh or armature object has a scale that is not 1, such as 0.01",
        sentence=Message(
            "'{object}' is scaled by {factor:.3g}; in engines its bones and everything attached to them "
            "inherit that scale."
        ),
        fix=_APPLY_SCALE,
        operator=_FIX_SCALE,
    ),
    Rule(
        id="bone-names-collide",
        severity=Severity.WARNING,
        name=Message("Bone Names"),
        about="Bone names become equal if case, dots or dashes are ignored",
        sentence=Message(
            "'{bone}' and '{other}' of '{armature}' are the same name in engines that ignore case, dots or "
            "dashes."
        ),
        fix=Message("Rename one of the bones."),
    ),
)
