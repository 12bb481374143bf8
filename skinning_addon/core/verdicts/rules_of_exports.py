"""Rules about exported files that are compared with the scene they come from."""

from __future__ import annotations

from ..text.message import Message
from .finding import Severity
from .rule import Rule

RULES_OF_EXPORTS = (
    Rule(
        id="mesh-not-in-file",
        severity=Severity.WARNING,
        name="Mesh Not in File",
        about="The exported file lacks a skinned mesh of the scene",
        details="the exported file lacks this mesh, or has it without its skin",
        sentence=Message("'{mesh}' is not in the file, or not skinned there."),
        fix=Message(
            "Export it too: check that it is visible, selected if only the selection is exported, and "
            "has faces."
        ),
    ),
    Rule(
        id="mesh-not-in-scene",
        severity=Severity.WARNING,
        name="Mesh Not in Scene",
        about="The exported file has a skinned mesh that the scene lacks",
        sentence=Message("The file's mesh '{mesh}' is not in the scene, so it was not compared."),
        fix=Message("Compare the file with the .blend file that it was exported from."),
    ),
    Rule(
        id="mesh-assumed",
        severity=Severity.INFO,
        name="Mesh Assumed",
        about="A mesh of the exported file was taken for one of the scene without its name",
        details=(
            "names do not tell which of the file's meshes this one is; it was found by its vertices and motion"
        ),
        sentence=Message(
            "No name tells which mesh of the file is '{mesh}'; '{other}' is assumed to be it, since it lies "
            "and moves most like it."
        ),
        fix=Message("Give the mesh object a name of its own, and export it under that name."),
    ),
    Rule(
        id="other-mesh-in-file",
        severity=Severity.ERROR,
        name="Other Mesh in File",
        about="A mesh of the exported file is not the scene's mesh of that name",
        sentence=Message(
            "'{mesh}' has {ours} vertices, and most of the {theirs} of '{other}' in the file match none "
            "of them at rest: they are different meshes."
        ),
        fix=Message("Compare the file with the .blend file that it was exported from, or export it again."),
    ),
    Rule(
        id="vertices-not-in-file",
        severity=Severity.WARNING,
        name="Vertices Not in File",
        about="The exported file lacks vertices of a mesh",
        details=(
            "the exported file lacks vertices in faces of this mesh; modifiers that make them are not applied"
        ),
        sentence=Message("The file lacks {count} of the {vertices} vertices in faces of '{mesh}'."),
        fix=Message("Switch on the exporter's option to apply modifiers."),
    ),
    Rule(
        id="vertices-not-in-scene",
        severity=Severity.ERROR,
        name="Vertices Not in Scene",
        about="The exported file has vertices that a mesh lacks",
        sentence=Message(
            "{count} of the file's {vertices} vertices of '{mesh}' match none of its vertices at rest."
        ),
        fix=Message("Export the file again, since the mesh has changed."),
    ),
    Rule(
        id="twin-vertices",
        severity=Severity.INFO,
        name="Twin Vertices",
        about="Vertices at the same rest position were matched by their pose",
        sentence=Message(
            "{count} vertices of '{mesh}' share their rest position, normal and UV with others that "
            "move differently; each was matched to the nearest."
        ),
        singular=Message(
            "A vertex of '{mesh}' shares its rest position, normal and UV with another that moves differently; "
            "it was matched to the nearest."
        ),
        fix=Message("Export with vertex numbers in an attribute called _SOURCE to tell them apart."),
    ),
    Rule(
        id="clip-not-in-file",
        severity=Severity.WARNING,
        name="Clip Not in File",
        about="The exported file lacks a clip",
        sentence=Message("The clip '{clip}' is not in the file, so it was not compared."),
        fix=Message(
            "Export it too: check the exporter's animation mode, and whether the action is used or has "
            "a fake user."
        ),
    ),
    Rule(
        id="clip-cut-in-file",
        severity=Severity.WARNING,
        name="Clip Cut in File",
        about="The exported file has fewer frames of a clip than the scene",
        sentence=Message(
            "The file has frames {first} to {last} of '{clip}', which runs from {start} to {end}."
        ),
        fix=Message("Check the scene's frame range and the exporter's option to limit animation to it."),
    ),
    Rule(
        id="cause-unknown",
        severity=Severity.INFO,
        name="Cause Unknown",
        about="What is known of the exporter does not explain a deviation of its file",
        details=(
            "what is known of the exporter, with the settings used, does not explain the measured deviation of "
            "the file at its worst frame"
        ),
        sentence=Message(
            "What is known of the exporter moves '{mesh}' by {explained} at this frame; the file is off by "
            "{measured}. Something else is lost in it."
        ),
        fix=Message(
            "Compare the two at that frame, and check which bones, clips and modifiers are exported."
        ),
    ),
    Rule(
        id="no-animation-in-file",
        severity=Severity.ERROR,
        name="No Animation in File",
        about="The scene is animated and the exported file is not",
        sentence=Message("The scene is animated and the file is not, so only frame {frame} was compared."),
        fix=Message("Switch on the exporter's option for animation."),
    ),
)
