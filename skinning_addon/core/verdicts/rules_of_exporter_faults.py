"""Rules about faults of Blender's exporters: what they write otherwise than they say, or where they fail."""

from __future__ import annotations

from ..text.message import Message
from .finding import Severity
from .rule import Rule

RULES_OF_EXPORTER_FAULTS = (
    Rule(
        id="flattened-outside-scene",
        severity=Severity.ERROR,
        name=Message("Flattened Outside of Scene"),
        about="Blender 4 writes the bones of a flattened hierarchy outside of the file's scene",
        details=(
            "with *Flatten Bone Hierarchy*, the glTF exporter of Blender 4 leaves bones that have a parent out "
            "of the file's scene (their nodes are there, but nothing holds them): what engines make of that "
            "isn't predicted. Meshes that are parented to such a bone are not in the file. Blender 5 has all "
            "of them in the scene"
        ),
        sentence=Message(
            "This Blender writes bones of '{armature}' that have a parent outside of the file's scene with "
            "Flatten Bone Hierarchy, so '{mesh}' can't follow them in {profile}."
        ),
        fix=Message("Export without Flatten Bone Hierarchy, or with Blender 5."),
        exported_with={"export_hierarchy_flatten_bones": False},
    ),
    Rule(
        id="carrier-outside-scene",
        severity=Severity.ERROR,
        name=Message("Carrier Outside of Scene"),
        about="Blender 5 writes a bone that doesn't deform but carries an object outside of the file's scene",
        details=(
            "with *Export Deformation Bones Only*, the glTF exporter of Blender 5 keeps a bone that doesn't "
            "deform if an object is parented to it, but nothing in the file's scene holds it where no "
            "deforming bone is above it, or with *Flatten Bone Hierarchy*. Objects on it are not in the file, "
            "and what engines make of the bones below it isn't predicted"
        ),
        sentence=Message(
            "This Blender writes the bone '{bone}' of '{armature}', which carries '{other}', outside of the "
            "file's scene with Export Deformation Bones Only, so '{mesh}' can't follow it in {profile}."
        ),
        fix=Message("Export without Export Deformation Bones Only, or switch on Deform for that bone."),
        exported_with={"export_def_bones": False},
    ),
    Rule(
        id="export-fails",
        severity=Severity.ERROR,
        name=Message("Export Fails"),
        about="Blender's exporter ends with an error with these settings",
        details=(
            "with the animation mode *Broadcast Actions*, the glTF exporter gives actions to meshes and "
            "armatures alone. With *Bake All Objects Animations* it then looks for what it has not sampled of "
            "any other object that has an action, such as an empty or a curve, and ends with a `KeyError`: "
            "there is no file"
        ),
        sentence=Message(
            "Blender can't export '{mesh}' for {profile}: with Broadcast Actions and Bake All Objects "
            "Animations, its exporter fails over the action of '{other}'."
        ),
        fix=Message("Export without Bake All Objects Animations, or take the action off that object."),
        exported_with={"export_bake_animation": False},
    ),
)
"""None of these is an effect of weights or poses."""
