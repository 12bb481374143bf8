"""Rules about whole files, meshes that can't be skinned, a check's coverage, and an engine's own output."""

from __future__ import annotations

from ..text.message import Message
from .finding import Severity
from .rule import Rule

TOLERANCE = "tolerance"
"""The rule for a mesh that is not within tolerance, in reports that can only list findings."""

RULES_OF_FILES = (
    Rule(
        id=TOLERANCE,
        severity=Severity.ERROR,
        name="Tolerance",
        about="A vertex deviates from Blender by more than the tolerance",
    ),
    Rule(
        id="no-skinned-mesh",
        severity=Severity.ERROR,
        name="No Skinned Mesh",
        about="The active scene has no mesh with an armature",
        sentence=Message("The active scene has no mesh with an armature, so there is nothing to compare."),
        fix=Message("Give the mesh an Armature modifier, or make the character's scene the active one."),
    ),
    Rule(id="no-vertices", severity=Severity.ERROR, name="No Vertices", about="A mesh has no vertices"),
    Rule(id="no-bones", severity=Severity.ERROR, name="No Bones", about="An armature has no bones"),
    Rule(
        id="edit-mode",
        severity=Severity.ERROR,
        name="Edit Mode",
        about="A mesh or armature is in edit mode",
    ),
    Rule(
        id="vertices-differ",
        severity=Severity.ERROR,
        name="Vertices Differ",
        about="Blender's result has other vertices than the bound mesh",
        details="Blender's result has other vertices than the bound mesh",
    ),
    Rule(
        id="blender-not-finite",
        severity=Severity.ERROR,
        name="Not Finite",
        about="Blender's own result has positions that are infinite or not a number",
        details="Blender's own result has positions that are infinite or not a number",
    ),
    Rule(
        id="scale-beyond-precision",
        severity=Severity.ERROR,
        name="Scale Beyond Precision",
        about="The scale of objects is so extreme that Blender's own arithmetic fails",
    ),
    Rule(
        id="not-skinnable",
        severity=Severity.ERROR,
        name="Not Skinnable",
        about="A mesh can't be skinned",
        details="a mesh can't be skinned; the sentence says why",
    ),
    Rule(
        id="nothing-moves",
        severity=Severity.WARNING,
        name="Nothing Moves",
        about="Nothing moves, so little was compared",
        details=(
            "nothing in the file moves a bone (the message says what was played instead), or no bone "
            "moved this mesh in any frame"
        ),
        strict=True,
    ),
    Rule(
        id="clips-not-played",
        severity=Severity.WARNING,
        name="Clips Not Played",
        about="Clips of the file were not played",
        details=(
            "the file has clips that the scene does not play: which, and how many (`count`). Not "
            "reported if `--clips` names some"
        ),
        sentence=Message("The scene plays {played} of the file's {count} clips; not played: {names}."),
        fix=Message('Play them with --clips all, or clips = "all" in skinscope.toml.'),
        strict=True,
    ),
    Rule(
        id="foreign-clips",
        severity=Severity.WARNING,
        name="Foreign Clips",
        about="Clips of another file do not play here exactly as they do there",
        details=(
            "how well clips of another file (`--clips-from`) fit: bones that one skeleton lacks, rest "
            "poses that differ, what was left out or renamed; an info if nothing is lost"
        ),
    ),
    Rule(
        id="library-missing",
        severity=Severity.WARNING,
        name="Missing Library",
        about="A library, or something in it, is missing",
        details="a linked file is missing, or lacks something that is linked from it",
        fix=Message("Put the file where Blender expects it, or relocate the library in Blender."),
        strict=True,
    ),
    Rule(
        id="drivers-not-run",
        severity=Severity.WARNING,
        name="Drivers Not Run",
        about="Blender did not run some drivers",
        details=(
            "Blender refused to run some drivers: they need Python, which stays off in checked files, "
            "or they are invalid"
        ),
        strict=True,
    ),
    Rule(
        id="importer-complained",
        severity=Severity.WARNING,
        name="Importer Complained",
        about="Blender's importer complained about the file",
        details=(
            "Blender's importer complained about the file; equal lines are reported once (`count` says "
            "how often)"
        ),
        sentence=Message("Blender's importer says: {line}"),
        fix=Message("Anything that it left out was not compared; fix the file, or export it again."),
        strict=True,
    ),
    Rule(
        id="hidden-in-renders",
        severity=Severity.INFO,
        name="Hidden in Renders",
        about="A mesh is hidden in renders",
        details="with `--visibility render`: no render shows the mesh, so it was left out",
        sentence=Message("'{mesh}' is hidden in renders, so it was left out."),
        fix=Message("Show it in renders, or check what the viewport shows."),
    ),
    Rule(
        id="normals-off",
        severity=Severity.ERROR,
        name="Normals Off",
        about="Normals are turned further from Blender's than the check allows",
        details=(
            "more than 1% of the normals are turned further from Blender's, in the frame with the largest "
            "mean, than `--normals` or `normals` of a configuration allows. Blender computes normals from the "
            "posed faces, so some degrees are usual where a surface bends"
        ),
        sentence=Message(
            "99% of the normals of '{mesh}' are within {angle:.3g} degrees of Blender's under the profile "
            "{profile}, at frame {frame:g} of '{clip}'; {limit:g} are allowed."
        ),
        fix=Message("Look at the shaded preview where the mesh bends, or allow more."),
    ),
    Rule(
        id="suppression-ended",
        severity=Severity.WARNING,
        name="Suppression Ended",
        about="A finding was suppressed until a day that is over",
        details="a suppression was to hold until a day that is over, so what it suppressed counts again",
        sentence=Message("{rule} was suppressed until {day} ({reason}), which is over."),
        fix=Message("Fix the cause, or choose another day."),
    ),
    Rule(
        id="suppression-unreadable",
        severity=Severity.WARNING,
        name="Unreadable Suppression",
        about="An object's suppressions can't be read",
        details="the custom property `skinscope_suppress` of an object can't be read, so it suppresses nothing",
        sentence=Message("The suppressions of '{object}' can't be read: {reason}."),
        fix=Message("Edit the custom property skinscope_suppress in the object's properties."),
    ),
)

RULES_OF_DIFFS = (
    Rule(
        id="unmatched-vertices",
        severity=Severity.ERROR,
        name="Unmatched Vertices",
        about="The engine has vertices that the bundle does not have",
        fix="Export the bundle from the file that the engine loaded.",
    ),
    Rule(
        id="missing-vertices",
        severity=Severity.WARNING,
        name="Missing Vertices",
        about="The bundle has vertices in faces that the engine does not have",
    ),
    Rule(
        id="other-axes",
        severity=Severity.INFO,
        name="Other Axes",
        about="The engine's axes differ from those of its profile",
    ),
    Rule(
        id="other-unit",
        severity=Severity.INFO,
        name="Other Unit",
        about="The engine's unit differs from that of its profile",
    ),
    Rule(
        id="unknown-unit",
        severity=Severity.WARNING,
        name="Unknown Unit",
        about="The engine's positions are in no known unit",
        fix="Compare positions before the engine applies a scale of its own.",
    ),
)
