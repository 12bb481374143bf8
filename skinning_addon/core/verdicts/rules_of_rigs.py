"""Rules about how a mesh is bound, its modifiers, weights, scales and names, whatever the engine."""

from __future__ import annotations

from ..text.message import Message
from .finding import Severity
from .rule import Rule

_CUT = Message("Apply the modifier, or move it below the last armature modifier.")
STRAY = Message("Weight them, for instance like the nearest bone.")
"""What helps vertices that no bone moves."""

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
        sentence=Message("The modifier '{modifier}' of '{mesh}' names no armature, so nothing deforms it."),
        fix=Message("Choose the armature as the modifier's Object, or remove the modifier."),
    ),
    Rule(
        id="no-weights",
        severity=Severity.WARNING,
        name=Message("No Weights"),
        about="No deforming bone moves the mesh",
        sentence=Message(
            "No vertex of '{mesh}' is weighted to a deforming bone of {armatures}, so nothing moves it."
        ),
        fix=Message(
            "Give the mesh vertex groups named after the bones, for instance by Parent > With Automatic Weights."
        ),
    ),
    Rule(
        id="modifier-between",
        severity=Severity.WARNING,
        name=Message("Modifier Between"),
        about="Something changes the mesh between two armatures",
        details="something changes the mesh between two armatures; Blender's result can't be reproduced exactly",
        sentence=Message("'{modifier}' stands between two armature modifiers of '{mesh}'."),
        fix=Message("Move it above the first armature modifier or below the last one, or apply it."),
    ),
    Rule(
        id="modifier-passed-over",
        severity=Severity.WARNING,
        name=Message("Modifier Passed Over"),
        about="An armature passes over the modifier above it in part",
        details=(
            "the first armature modifier has Multi Modifier on and a vertex group, and is right below "
            "a lattice or a mesh deform: it starts from before that modifier as far as the group lets "
            "it, which can't be reproduced exactly (without the group it can)"
        ),
        sentence=Message(
            "'{armature}' of '{mesh}' starts from before '{modifier}' where its vertex group lets it (Multi Modifier), and leaves "
            "what that made elsewhere."
        ),
        fix=Message("Switch the armature modifier's Multi Modifier off, or take its vertex group away."),
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
            "What '{modifier}' makes of '{mesh}' before the armature depends on earlier frames or on a cache, which no copy of "
            "the mesh has."
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
            "A copy of '{mesh}' does not come out as Blender shows the mesh, so its stack can't be seen cut at the armature; "
            "'{modifier}' is the likely cause."
        ),
        fix=_CUT,
    ),
    Rule(
        id="collapsed-bone",
        severity=Severity.WARNING,
        name=Message("Collapsed Bone"),
        about="A bone that Preserve Volume turns is posed onto a line",
        details=(
            "constraints or scales pose a bone onto a line; Preserve Volume needs the bone's "
            "rotation, which is only rounding then, in Blender too"
        ),
        sentence=Message(
            "'{bone}' of '{armature}' collapses to a line in a pose, so its rotation, and with it what Preserve Volume makes "
            "of '{mesh}' there, is a matter of rounding; mend its constraints or scale, or switch Preserve Volume off."
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
            "'{mesh}' or '{armature}' is scaled so unevenly (1 : {ratio:,.0f}) that Blender's own rounding moves vertices by as much; "
            "apply the scale."
        ),
    ),
    Rule(
        id="distant-precision",
        severity=Severity.WARNING,
        name=Message("Distant Precision"),
        about="Far from the origin Blender's own numbers are coarse",
        details="the mesh or its armature is so far from the world's origin for its size that Blender's own rounding explains the "
        "deviation",
        sentence=Message(
            "'{mesh}' or '{armature}' is so far from the world's origin for its size that Blender's own rounding moves vertices "
            "by as much; move both nearer to it, or scale them up."
        ),
    ),
    Rule(
        id="driver-cycle",
        severity=Severity.WARNING,
        name=Message("Driver Cycle"),
        about="A bone's setting is driven by what follows from it",
        details="a setting of a bone is driven by the bone itself or by one below it, and the mesh deviates: Blender deforms it with "
        "the value of another frame",
        sentence=Message(
            "'{setting}' of '{bone}' in '{armature}' is driven by '{by}', which follows from it: Blender deforms '{mesh}' with "
            "the value of another frame. Drive it by an object, or by a bone that is not below."
        ),
    ),
    Rule(
        id="bone-without-length",
        severity=Severity.WARNING,
        name=Message("Bone Without Length"),
        about="A bone that moves vertices has no length",
        details="a bone that moves vertices has no length, or is a bendy bone scaled to zero at rest; Blender's result there can't be "
        "reproduced",
    ),
    Rule(
        id="modifier-after",
        severity=Severity.INFO,
        name=Message("Modifier After"),
        about="A modifier changes the mesh after the armature has",
        details=(
            "a modifier after the armature, switched off for the comparison; `deviation` is what it "
            "alone adds"
        ),
        sentence=Message(
            "'{modifier}' changes '{mesh}' after the armature has, as no engine does; the mesh is compared as the "
            "armature leaves it."
        ),
        fix=Message("Apply it before the rig is exported, or leave it out on purpose."),
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
        about="An Armature modifier is on in the viewport and off in renders, or the other way round",
        details="an Armature modifier that is on in the viewport and off in renders, or the other way round",
        fix=Message("Switch the modifier on or off in both, so that what is seen is what is rendered."),
    ),
)

RULES_OF_WEIGHTS = (
    Rule(
        id="unweighted-vertices",
        severity=Severity.WARNING,
        name=Message("Unweighted Vertices"),
        about="Vertices are weighted to no bone",
        details="no bone has weight on some vertices; they stay behind, in Blender too",
        sentence=Message(
            "{count:,} vertices of '{mesh}' are weighted to no bone: they stay behind when the character moves."
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
            "All weights of {count:,} vertices of '{mesh}' are zero; engines give such vertices to the first bone, to "
            "the origin, or to none."
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
            "{count} vertex groups of '{mesh}' are called after no bone, such as '{group}'; what they weight is lost."
        ),
        fix=Message("Remove the groups, or rename them after the bones that they were meant for."),
        operator="skinscope.fix_groups",
    ),
    Rule(
        id="non-uniform-scale",
        severity=Severity.WARNING,
        name=Message("Uneven Scale"),
        about="An object is scaled unevenly",
        details="the mesh or armature object is scaled unevenly",
        sentence=Message(
            "'{object}' is scaled unevenly; parts that turn inside it are sheared, which engines can't hold."
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
            "'{object}' is mirrored by a negative scale; engines turn its faces inside out or mirror its bones."
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
            "'{object}' is scaled by {factor:.3g}; in engines its bones and all that is attached to them inherit that."
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
            "'{bone}' and '{other}' of '{armature}' become one name in engines that ignore case, dots or dashes."
        ),
        fix=Message("Rename one of the bones."),
    ),
)
