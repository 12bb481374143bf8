"""Rules about a mesh under an engine's profile: the causes of its deviation."""

from __future__ import annotations

from ..profiles.binding import Binding
from ..skinning.passes import Blend
from ..text.message import Message
from .finding import REMAINDER, Severity
from .rule import Rule
from .rules_of_drawing import SPLIT
from .rules_of_imports import RESAMPLED
from .rules_of_placement import CAUSES_OF_PLACEMENT
from .rules_of_rigs import STRAY

_CLEAN = Message("Clean the vertex groups (Weights > Clean) and fix what shows.")
_EVEN_PARENTS = Message(
    "Clear the parents of bones below unevenly scaled ones (Edit Mode, Armature > Parent > Clear), or scale "
    "bones evenly, for example by muting Stretch To."
)


def _has_bendy_bones(binding: Binding) -> bool:
    return any(len(one.joints.bendy) for one in binding.passes)


def _has_envelopes(binding: Binding) -> bool:
    return any(one.positional for one in binding.passes)


def _has_masks(binding: Binding) -> bool:
    return any(one.amount is not None for one in binding.passes)


def _has_several_passes(binding: Binding) -> bool:
    return len(binding.passes) > 1


def _preserves_volume(binding: Binding) -> bool:
    return any(one.blend is Blend.VOLUME for one in binding.passes)


CURE = Rule(
    id="game-ready-copy",
    severity=Severity.INFO,
    name=Message("Game-Ready Copy"),
    about="a game-ready copy would bring the mesh much nearer",
    details="a game-ready copy would bring the mesh to at most half of what it is off. `deviation` is a quick "
    "estimate of what is left: the copy's bones and the largest weights, at the worst frames of the findings "
    "alone; fitted weights come nearer, and other frames may be further off",
    sentence=Message(
        "A game-ready copy of '{mesh}' would be off by about {left} in {profile} instead of {distance}, "
        "estimated from the worst frames."
    ),
    fix=Message("Make a game-ready copy (Make Game-Ready Copy, or 'skinscope refit')."),
    operator="skinscope.game_ready_copy",
)

CAUSES = (
    Rule(
        id="influence-limit",
        severity=None,
        name=Message("Influence Limit"),
        cause=Message("Vertices have more influences than the shader receives"),
        sentence=Message("{profile} supports {limit} influences per vertex, but '{mesh}' has more: {where}."),
        fix=Message(
            "Limit the influences in Blender (Weights > Limit Total) and fix what shows, or export more if "
            "the engine supports more."
        ),
        operator="skinscope.fix_influences",
    ),
    Rule(
        id="small-weights",
        severity=None,
        name=Message("Small Weights"),
        cause=Message("An exporter or importer drops weights because they are small"),
        details="an exporter or importer drops small weights",
        sentence=Message("Small weights of '{mesh}' are dropped on the way to {profile}: {where}."),
        fix=_CLEAN,
    ),
    Rule(
        id="ignored-weights",
        severity=None,
        name=Message("Ignored Weights"),
        cause=Message("Weights so small that Blender ignores them move vertices in the engine"),
        details="weights add up to 1e-4 or less; Blender ignores them, but a file may have them",
        sentence=Message(
            "Vertices of '{mesh}' with weights so small that Blender ignores them move in {profile}: {where}."
        ),
        fix=_CLEAN,
        operator="skinscope.fix_stray",
    ),
    Rule(
        id="not-normalised",
        severity=None,
        name=Message("Not Normalized"),
        cause=Message("Weights don't add up to one, and nothing normalizes them"),
        details="weights do not add up to one, and nothing divides them by their sum",
        sentence=Message(
            "Weights of '{mesh}' don't add up to one, and {profile} does not normalize them: {where}."
        ),
        fix=Message("Normalize the weights (Weights > Normalize All)."),
        operator="skinscope.fix_normalise",
    ),
    Rule(
        id="weight-precision",
        severity=None,
        name=Message("Weight Precision"),
        cause=Message("Weights are stored with few bits"),
        sentence=Message("{profile} stores the weights of '{mesh}' with less precision: {where}."),
    ),
    Rule(
        id="sheared-local-matrix",
        severity=None,
        name=Message("Sheared Bones"),
        cause=Message(
            "Bones shear relative to their parents, which translation, rotation and scale can't express"
        ),
        sentence=Message(
            "Bones of '{mesh}' shear relative to their parents, and shear is lost on the way to {profile}: "
            "{where}."
        ),
        fix=Message("Export deformation bones only, with a flattened bone hierarchy."),
        exported_with={"export_def_bones": True, "export_hierarchy_flatten_bones": True},
    ),
    Rule(
        id="sheared-in-fbx",
        severity=None,
        name=Message("Sheared Bones in FBX"),
        cause=Message("Bones shear relative to their parents, which FBX can't hold"),
        details="bones shear relative to their parents, such as those below a stretched one. FBX holds "
        "translation, rotation and scale, and has no flattened hierarchy; *Only Deform Bones* keeps the "
        "parents of deforming bones",
        sentence=Message(
            "Bones of '{mesh}' shear relative to their parents, and FBX loses shear on the way to {profile}: "
            "{where}."
        ),
        fix=_EVEN_PARENTS,
    ),
    Rule(
        id="scaled-in-usd",
        severity=None,
        name=Message("Scaled Bones in USD"),
        cause=Message("Bones are scaled, and USD holds scales in 16 bits and no shear"),
        details="bones are scaled. USD holds scales in 16 bits, in steps of 0.0005 below 1 and twice that "
        "above, and no shear; Blender 5.2 writes them again only where one of them has changed by a hundredth",
        sentence=Message(
            "Bones that move '{mesh}' are scaled, and USD holds scales in 16 bits and no shear on the way to "
            "{profile}: {where}."
        ),
        fix=Message("Don't scale the bones that deform: mute Stretch To, and move and turn bones instead."),
    ),
    Rule(
        id="unweighted-in-usd",
        severity=None,
        name=Message("Unweighted Vertices in USD"),
        cause=Message("Vertices without weights go to the armature's origin"),
        details="vertices have no weight for any bone. Blender leaves them where they are; UsdSkel puts them "
        "at the armature's origin",
        sentence=Message(
            "Vertices of '{mesh}' have no weights, and {profile} puts those at the armature's origin: {where}."
        ),
        fix=STRAY,
        operator="skinscope.fix_stray",
    ),
    Rule(
        id="animation-simplified",
        severity=None,
        name=Message("Simplified Animation"),
        cause=Message("Keys are left out by the FBX exporter"),
        details="*Simplify*, on by default, leaves out keys that differ little from their neighbors, and "
        "chains of bones add that up",
        sentence=Message(
            "FBX's Simplify leaves out keys of bones that move '{mesh}' on the way to {profile}: {where}."
        ),
        fix=Message("In the FBX exporter's animation settings, set Simplify to 0."),
        exported_with={"bake_anim_simplify_factor": 0.0},
    ),
    Rule(
        id="index-width",
        severity=None,
        name=Message("Index Width"),
        cause=Message("There are more joints than an index can count"),
        details=(
            "a draw call has more joints than its indices can count. A number that is stored in too "
            "few bits loses its upper bits, so the last joints are taken for the first: with 8 bits "
            "joint 256 becomes joint 0. This happens with no shipped profile: those with 8 bits draw "
            "at most 256 joints at once"
        ),
        sentence=Message(
            "{profile} stores joint indices in {bits} bits, which is too few for '{mesh}', so its last "
            "joints are mistaken for the first: {where}."
        ),
        fix=SPLIT,
    ),
    Rule(
        id="palette-overflow",
        severity=None,
        name=Message("Palette Overflow"),
        cause=Message("There are more bones than the palette has entries"),
        details="there are more bones than the palette has entries, and the shader leaves the vertices of "
        "the others at rest (LearnOpenGL: 100)",
        sentence=Message(
            "{profile} has room for {entries} bones, but '{mesh}' has more, and vertices of the others "
            "stay at rest: {where}."
        ),
        fix=Message(
            "Split the mesh, weight it to fewer bones, or make a game-ready copy with fitted weights, which "
            "does that."
        ),
    ),
    Rule(
        id="component-scale",
        severity=None,
        name=Message("Component-wise Scale"),
        cause=Message("Scales of bones are multiplied axis by axis, and their shear is lost"),
        details="the same as `sheared-local-matrix` in an engine that multiplies scales axis by axis",
        sentence=Message(
            "{profile} multiplies the scales of bones axis by axis, which loses the shear of '{mesh}': "
            "{where}."
        ),
        fix=_EVEN_PARENTS,
    ),
    Rule(
        id="turned-before-scaled",
        severity=None,
        name=Message("Turned Before Scaled"),
        cause=Message("The engine turns bones before it scales them"),
        details="the engine's loader turns bones before it scales them, and drops the shear that this makes "
        "(Panda3D); bones that are scaled unevenly come out otherwise",
        sentence=Message(
            "{profile} turns the bones of '{mesh}' before it scales them, and loses shear: {where}."
        ),
        fix=_EVEN_PARENTS,
    ),
    Rule(
        id="bendy-bones",
        severity=None,
        name=Message("Bendy Bones"),
        cause=Message("Bendy bones become single rigid bones"),
        sentence=Message("Bendy bones of '{mesh}' become single rigid bones in {profile}: {where}."),
        fix=Message("Replace bendy bones with chains of ordinary bones before the export."),
        present=_has_bendy_bones,
    ),
    Rule(
        id="preserve-volume",
        severity=None,
        name=Message("Preserve Volume"),
        cause=Message("Preserve Volume does not reach the engine"),
        sentence=Message("'{mesh}' uses Preserve Volume in Blender, but {profile} blends linearly: {where}."),
        fix=Message("Switch off Preserve Volume while you paint weights, and add twist bones."),
        present=_preserves_volume,
    ),
    Rule(
        id="dual-quaternions",
        severity=None,
        name=Message("Dual Quaternions"),
        cause=Message("The engine blends dual quaternions, which bulge differently and drop scale and shear"),
        details=(
            "the engine blends dual quaternions: it keeps volume in another way than Blender, and "
            "drops scale and shear"
        ),
        sentence=Message(
            "{profile} blends '{mesh}' with dual quaternions, which drop scale and shear: {where}."
        ),
    ),
    Rule(
        id="envelopes",
        severity=None,
        name=Message("Envelopes"),
        cause=Message("Bone envelopes do not reach the engine"),
        sentence=Message("Bone envelopes that move '{mesh}' are lost on the way to {profile}: {where}."),
        fix=Message("Convert envelopes to vertex groups (Weights > Assign from Bone Envelopes)."),
        present=_has_envelopes,
    ),
    Rule(
        id="masked-modifier",
        severity=None,
        name=Message("Masked Modifier"),
        cause=Message("The vertex group that limits an Armature modifier does not reach the engine"),
        sentence=Message(
            "The vertex group that limits an Armature modifier of '{mesh}' is lost on the way to "
            "{profile}: {where}."
        ),
        fix=Message("Remove the modifier's vertex group, and paint bone weights instead."),
        present=_has_masks,
    ),
    Rule(
        id="several-modifiers",
        severity=None,
        name=Message("Several Modifiers"),
        cause=Message("Only the last of several Armature modifiers reaches the engine"),
        sentence=Message("Only the last Armature modifier of '{mesh}' reaches {profile}: {where}."),
        fix=Message("Join the armatures into one."),
        present=_has_several_passes,
    ),
    Rule(
        id="non-deform-bones",
        severity=None,
        name=Message("Non-Deforming Bones"),
        cause=Message("Non-deforming bones deform in the engine"),
        details="bones without *Deform* have vertex groups; in the file these bones deform",
        sentence=Message("Non-deforming bones with vertex groups deform '{mesh}' in {profile}: {where}."),
        fix=Message("Export deformation bones only, or remove the vertex groups of those bones."),
    ),
    *CAUSES_OF_PLACEMENT,
    RESAMPLED,
)
"""Each is the effect of one aspect of a profile (`profiles.aspects`). `where` gives the distance, bone and
frame."""

RULES_OF_ENGINES = (
    *CAUSES,
    Rule(
        id=REMAINDER,
        severity=None,
        name=Message("Combined Causes"),
        about="Causes combine",
        details="the part of the deviation that only appears when causes combine",
        sentence=Message(
            "Causes combine in '{mesh}' under {profile}, on top of what each does alone: {where}."
        ),
    ),
    CURE,
)
