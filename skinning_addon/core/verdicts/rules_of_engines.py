"""Rules about what becomes of a mesh under an engine's profile: the causes of its deviation, and what can't be drawn."""

from __future__ import annotations

from ..profiles.binding import Binding
from ..skinning.palette import Blend
from ..text.message import Message
from .finding import REMAINDER, Severity
from .rule import Rule
from .rules_of_rigs import STRAY

_CLEAN = Message("Clean the vertex groups (Weights > Clean) and mend what shows.")
_SPLIT = Message("Split the mesh, or weight it to fewer bones.")


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


CAUSES = (
    Rule(
        id="influence-limit",
        severity=None,
        name=Message("Influence Limit"),
        cause=Message("Vertices have more influences than reach the shader"),
        sentence=Message("{profile} takes {limit} influences a vertex; '{mesh}' has more: {where}."),
        fix=Message(
            "Limit the influences in Blender (Weights > Limit Total) and mend what shows, or export more where the engine "
            "takes more."
        ),
        operator="skinscope.fix_influences",
    ),
    Rule(
        id="small-weights",
        severity=None,
        name=Message("Small Weights"),
        cause=Message("Weights are dropped by an exporter or importer because they are small"),
        details="an exporter or importer drops small weights",
        sentence=Message("Small weights of '{mesh}' are dropped on the way to {profile}: {where}."),
        fix=_CLEAN,
    ),
    Rule(
        id="ignored-weights",
        severity=None,
        name=Message("Ignored Weights"),
        cause=Message("Weights too small for Blender to count move vertices in the engine"),
        details="weights add up to 1e-4 or less; Blender ignores them, but a file may have them",
        sentence=Message(
            "Vertices of '{mesh}' whose weights are too small for Blender to count do move in {profile}: {where}."
        ),
        fix=_CLEAN,
        operator="skinscope.fix_stray",
    ),
    Rule(
        id="not-normalised",
        severity=None,
        name=Message("Not Normalized"),
        cause=Message("Weights do not add up to one, and nobody divides by their sum"),
        details="weights do not add up to one, and nothing divides them by their sum",
        sentence=Message(
            "Weights of '{mesh}' do not add up to one, and {profile} does not divide by their sum: {where}."
        ),
        fix=Message("Normalise the weights (Weights > Normalize All)."),
        operator="skinscope.fix_normalise",
    ),
    Rule(
        id="weight-precision",
        severity=None,
        name=Message("Weight Precision"),
        cause=Message("Weights are stored in few bits"),
        sentence=Message("{profile} stores the weights of '{mesh}' with less precision: {where}."),
    ),
    Rule(
        id="sheared-local-matrix",
        severity=None,
        name=Message("Sheared Bones"),
        cause=Message(
            "Bones shear relative to their parents, which translation, rotation and scale can't hold"
        ),
        sentence=Message(
            "Bones of '{mesh}' shear relative to their parents, and shear is lost on the way to {profile}: {where}."
        ),
        fix=Message(
            "Export deformation bones only, with a flattened bone hierarchy; or keep uneven scale from being inherited."
        ),
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
            "{profile} counts the joints of '{mesh}' in {bits} bits, which are too few; the last ones are taken for the first: "
            "{where}."
        ),
        fix=_SPLIT,
    ),
    Rule(
        id="palette-overflow",
        severity=None,
        name=Message("Palette Overflow"),
        cause=Message("There are more bones than the palette has entries"),
        details="there are more bones than the palette has entries, and the shader leaves the vertices of the others at rest "
        "(LearnOpenGL: 100)",
        sentence=Message(
            "{profile} has room for {entries} bones, and '{mesh}' has more; vertices of the others stay at rest: {where}."
        ),
        fix=_SPLIT,
    ),
    Rule(
        id="component-scale",
        severity=None,
        name=Message("Component-wise Scale"),
        cause=Message("Scales of bones are multiplied axis by axis, and their shear is lost"),
        details="the same as `sheared-local-matrix` in an engine that multiplies scales axis by axis",
        sentence=Message(
            "{profile} joins the scales of bones axis by axis, and loses their shear; in '{mesh}' that is {where}."
        ),
        fix=Message("Keep uneven scale from being inherited, or scale all axes alike."),
    ),
    Rule(
        id="bendy-bones",
        severity=None,
        name=Message("Bendy Bones"),
        cause=Message("Bendy bones arrive as single stiff bones"),
        sentence=Message("Bendy bones of '{mesh}' arrive in {profile} as single stiff bones: {where}."),
        fix=Message("Replace bendy bones by chains of plain ones before the export."),
        present=_has_bendy_bones,
    ),
    Rule(
        id="preserve-volume",
        severity=None,
        name=Message("Preserve Volume"),
        cause=Message("Preserve Volume does not reach the engine"),
        sentence=Message("'{mesh}' preserves volume in Blender, and {profile} blends linearly: {where}."),
        fix=Message("Switch off Preserve Volume while you weight, and add twist bones."),
        present=_preserves_volume,
    ),
    Rule(
        id="dual-quaternions",
        severity=None,
        name=Message("Dual Quaternions"),
        cause=Message("The engine blends dual quaternions, which bulge otherwise and drop scale and shear"),
        details=(
            "the engine blends dual quaternions: it keeps volume in another way than Blender, and "
            "drops scale and shear"
        ),
        sentence=Message(
            "{profile} blends '{mesh}' by dual quaternions, which drop scale and shear: {where}."
        ),
    ),
    Rule(
        id="envelopes",
        severity=None,
        name=Message("Envelopes"),
        cause=Message("Bone envelopes do not reach the engine"),
        sentence=Message("Bone envelopes that move '{mesh}' do not reach {profile}: {where}."),
        fix=Message("Turn envelopes into vertex groups (Weights > Assign from Bone Envelopes)."),
        present=_has_envelopes,
    ),
    Rule(
        id="masked-modifier",
        severity=None,
        name=Message("Masked Modifier"),
        cause=Message("The vertex group that limits an Armature modifier does not reach the engine"),
        sentence=Message(
            "The vertex group that limits an Armature modifier of '{mesh}' is ignored on the way to {profile}: {where}."
        ),
        fix=Message("Take the modifier's vertex group away, and weight the bones instead."),
        present=_has_masks,
    ),
    Rule(
        id="several-modifiers",
        severity=None,
        name=Message("Several Modifiers"),
        cause=Message("Of several Armature modifiers only the last reaches the engine"),
        sentence=Message("Of the Armature modifiers of '{mesh}' only the last reaches {profile}: {where}."),
        fix=Message("Join the armatures into one."),
        present=_has_several_passes,
    ),
    Rule(
        id="non-deform-bones",
        severity=None,
        name=Message("Non-Deforming Bones"),
        cause=Message("Bones that do not deform in Blender do in the engine"),
        details="bones without *Deform* have vertex groups; in the file these bones deform",
        sentence=Message(
            "Bones that do not deform '{mesh}' in Blender, but have vertex groups, do in {profile}: {where}."
        ),
        fix=Message("Export deformation bones only, or remove the vertex groups of those bones."),
    ),
)
"""Each is what one aspect of a profile does (`profiles.aspects`). `where` is how far, at which bone and frame."""

RULES_OF_ENGINES = (
    *CAUSES,
    Rule(
        id=REMAINDER,
        severity=None,
        name=Message("Causes Together"),
        about="Causes act on one another",
        details="what none of the causes does alone, because they act on one another",
        sentence=Message(
            "Causes act on one another in '{mesh}' under {profile}: what none of them does alone is {where}."
        ),
    ),
    Rule(
        id="palette-size",
        severity=Severity.WARNING,
        name=Message("Palette Size"),
        about="More joints than one draw call holds",
        details=(
            "more joints than a draw call of one material can have: the mesh has to be split, and "
            "then deforms the same (`deviation` 0)"
        ),
        sentence=Message(
            "'{mesh}' needs {joints} joints; {profile} draws with {entries} at once, so the mesh has to be split."
        ),
        fix=_SPLIT,
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
            "{count:,} vertices of '{mesh}' are weighted to no bone; {profile} adds up nothing for them, (0, 0, 0, 0), and "
            "can't draw their faces."
        ),
        fix=STRAY,
    ),
    Rule(
        id="face-exceeds-palette",
        severity=Severity.WARNING,
        name=Message("Large Faces"),
        about="Faces need more joints at once than a draw call has",
        details=(
            "faces that can't be drawn however the mesh is split. The CPU has to skin them, and they "
            "then deform the same (`deviation` 0); an engine that can't do that leaves them out"
        ),
        sentence=Message(
            "{count:,} triangles of '{mesh}' need more than the {limit} joints at once that {profile} draws with; no split "
            "helps, and the processor has to skin them."
        ),
        fix=Message(
            "Limit the influences in Blender (Weights > Limit Total) until no three neighbours need more."
        ),
    ),
)
