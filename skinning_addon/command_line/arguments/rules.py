"""What each rule of a finding is about, in a few words: for reports that list rules apart from findings."""

from __future__ import annotations

from ...core.verdicts.cause_sentence import CAUSES
from ...core.verdicts.finding import REMAINDER

TOLERANCE = "tolerance"
"""Stands for a mesh that is not within tolerance, where a report knows nothing but findings."""

RULES = {
    TOLERANCE: "A vertex lies further from where Blender puts it than the tolerance allows",
    "no-skinned-mesh": "No mesh of the active scene is deformed by an armature",
    "no-vertices": "A mesh has no vertices",
    "no-bones": "An armature has no bones",
    "edit-mode": "A mesh or armature is in edit mode",
    "vertices-differ": "Blender's result has other vertices than the mesh that was bound",
    "blender-not-finite": "Blender's own result holds positions that are no numbers",
    "scale-beyond-precision": "Objects are scaled so far that Blender's own arithmetic fails",
    "not-skinnable": "A mesh can't be skinned",
    "no-armature": "An Armature modifier names no armature",
    "no-weights": "No deforming bone moves the mesh",
    "modifier-between": "Something changes the mesh between two armatures",
    "modifier-passed-over": "An armature passes over the modifier above it in part",
    "simulation-before": "A simulation changes the mesh before the armature does",
    "copy-differs": "A copy of the mesh does not come out as Blender shows it",
    "collapsed-bone": "A bone that Preserve Volume turns is posed onto a line",
    "uneven-precision": "Uneven scales magnify Blender's own rounding",
    "distant-precision": "Far from the origin Blender's own numbers are coarse",
    "driver-cycle": "A bone's setting is driven by what follows from it",
    "bone-without-length": "A bone that moves vertices has no length",
    "modifier-after": "A modifier changes the mesh after the armature has",
    "shape-key-order": "Shape keys are absolute, or a modifier stands between them and the armature",
    "nothing-moves": "Nothing moves, so little was compared",
    "clips-not-played": "Clips of the file were not played",
    "foreign-clips": "Clips of another file do not play here quite as they do there",
    "library-missing": "A library is missing, or something in it",
    "drivers-not-run": "Blender did not run some drivers",
    "importer-complained": "Blender's importer complained about the file",
    "visibility-differs": "An Armature modifier is on in the viewport and off in renders, or the other way round",
    "hidden-in-renders": "A mesh is hidden in renders",
    "unweighted-vertices": "Vertices are weighted to no bone",
    "all-zero-weights": "All weights of some vertices are zero",
    "groups-without-bone": "Vertex groups are called after no bone",
    "non-uniform-scale": "An object is scaled unevenly",
    "negative-scale": "An object is mirrored by a negative scale",
    "object-scale": "An object's scale is not 1",
    "bone-names-collide": "Names of bones become one where case, dots or dashes are ignored",
    **CAUSES,
    REMAINDER: "Causes act on one another",
    "unmatched-vertices": "The engine has vertices that the bundle does not have",
    "missing-vertices": "The bundle has vertices in faces that the engine does not have",
    "other-axes": "The engine's positions are in other axes than its profile names",
    "other-unit": "The engine's positions are in another unit than its profile names",
    "unknown-unit": "The engine's positions are in no known unit",
    "palette-size": "More joints than one draw call holds",
    "not-drawn": "Vertices without influences have no position in the engine's shader",
    "face-exceeds-palette": "Faces need more joints at once than a draw call has",
}
"""By the rule's identifier; docs/check-report.md says more. A rule that is not here describes itself by its name."""


LITTLE_LOOKED_AT = (
    "nothing-moves",
    "clips-not-played",
    "library-missing",
    "drivers-not-run",
    "importer-complained",
)
"""Rules of what makes "exact" say less than it seems to; --strict takes them for errors."""


def description_of(rule: str) -> str:
    """Say in a few words what a rule is about."""
    return RULES.get(rule, rule.replace("-", " ").capitalize())
