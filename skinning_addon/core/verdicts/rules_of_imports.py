"""Rules about how an engine's importer reads a file: what it makes of names, nodes and numbers, whatever the
weights.
"""

from __future__ import annotations

from ..text.message import Message
from .finding import Severity
from .rule import Rule

RESAMPLED = Rule(
    id="animation-resampled",
    severity=None,
    name=Message("Resampled Animation"),
    cause=Message("The engine samples animation at a rate that misses keys of the file"),
    details=(
        "the engine's importer samples animation (Godot 30 times a second by default, raylib 60, Panda3D "
        "30), and the scene plays at a rate that doesn't fit: keys between two samples are missed, and "
        "what plays there lies between the samples"
    ),
    sentence=Message(
        "{profile} samples animation at a rate that misses keys of bones that move '{mesh}': {where}."
    ),
    fix=Message(
        "Set the engine's import to the scene's frame rate, where it has that setting, or play the scene "
        "at a rate that divides the engine's."
    ),
)
"""Unlike the others, it is the effect of one aspect of a profile alone."""

RULES_OF_IMPORTS = (
    Rule(
        id="bone-names-shared",
        severity=Severity.ERROR,
        name=Message("Shared Bone Names"),
        about="The engine finds bones by name, and something else has the name of a weighted bone",
        details=(
            "the engine finds bones by name alone (PlayCanvas), and an object or another armature's bone has "
            "the name of a bone that moves the mesh. Whichever comes first in the file moves the vertices: "
            "off by 0.5 to 13 times the size of the character where that was measured. A warning if it isn't "
            "known which of them comes first"
        ),
        sentence=Message(
            "{profile} finds bones by name, and {count} names of bones that move '{mesh}' occur more than once "
            "in the scene (such as '{name}', also {other}), so vertices may follow the wrong one."
        ),
        fix=Message(
            "Give armatures, meshes and bones different names, and export one armature for each file."
        ),
        operator="skinscope.fix_names",
    ),
    Rule(
        id="node-transform",
        severity=None,
        name=Message("Transforms of Nodes"),
        about="The engine applies transforms of nodes to a skinned mesh that the bones already have",
        details=(
            "the engine moves a skinned mesh's vertices with its node before the bones move them (raylib), "
            "although glTF says that the node's transform is to be ignored. Blender's exporter puts a mesh "
            "below its parent, so a parent that is moved, turned or scaled, mostly the armature, moves it "
            "twice (`deviation` is that of the rest pose). The same engine multiplies an armature's uneven "
            "scale with those of its bones axis by axis"
        ),
        sentence=Message(
            "{profile} moves skinned vertices with their node as well, so the transform of '{parent}' is "
            "applied to '{mesh}' twice, which moves it by up to {distance}."
        ),
        fix=Message("Apply the location, rotation and scale of the armature and its parents (Ctrl+A)."),
    ),
    Rule(
        id="mesh-beside-armature",
        severity=Severity.ERROR,
        name=Message("Mesh Beside Armature"),
        about="The engine misplaces a mesh that isn't below its armature",
        details=(
            "the engine's importer takes the node above a skin's joints and its mesh for the character "
            "(Panda3D). If the mesh isn't below the armature, that is another node: the armature's own "
            "location, rotation and scale are lost, or a single root bone is taken for the character. A "
            "warning if the armature has none, and its bones have a single root"
        ),
        sentence=Message(
            "{profile} places a skinned mesh right only below its armature, and '{mesh}' isn't a child of "
            "'{armature}'."
        ),
        fix=Message("Make the mesh a child of the armature (Ctrl+P, Object)."),
    ),
    Rule(
        id="mesh-keys-played",
        severity=None,
        name=Message("Keys of the Mesh Played"),
        about="The engine moves a skinned mesh by keys of its own, on top of its bones",
        details=(
            "the mesh object has keys of its own, which Blender's exporter writes for the mesh's node. glTF "
            "says that the transform of a skinned mesh's node is to be ignored, but the engine (Babylon.js) "
            "plays its keys all the same, and moves the vertices with them that the bones have moved already. "
            "`deviation` is how far that is at rest. With the animation mode *Active Actions Merged* the keys "
            "are in the armature's own animation; other modes give them one of their own, which may not be "
            "played: a warning"
        ),
        sentence=Message(
            "{profile} moves '{mesh}' by keys of its own on top of its bones, by up to {distance}."
        ),
        fix=Message(
            "Remove the keys of the mesh object, and give its motion to a bone that has the others below it."
        ),
    ),
    Rule(
        id="sheared-by-parent",
        severity=Severity.INFO,
        name=Message("Sheared by Its Parent"),
        about="The armature is sheared by its parent, which has to be exported with it",
        details=(
            "the armature's parent is scaled unevenly and turned against it. Files hold that only with the "
            "parent: where selection or object types leave it out, the armature loses its shear (0.1 to 0.4 of "
            "the diagonal where that was measured in FBX). Predictions are for a file with the parent"
        ),
        sentence=Message(
            "'{armature}' is sheared by its parent '{parent}': '{mesh}' deforms otherwise in a file without "
            "that parent."
        ),
        fix=Message("Export the parent too, or apply its scale (Object > Apply > Scale)."),
    ),
    Rule(
        id="joint-numbers",
        severity=Severity.ERROR,
        name=Message("Joint Numbers"),
        about="The file has more joints than the engine can number",
        details=(
            "the engine's importer keeps too few bits of a joint's number in the file (raylib: 8), so joints "
            "after the first 256 are mistaken for others. The file counts every bone that is exported, "
            "whether weighted or not"
        ),
        sentence=Message(
            "{profile} keeps {bits} bits of a joint's number, but the file of '{armature}' has {count} joints, "
            "so vertices of '{mesh}' may follow the wrong bones."
        ),
        fix=Message("Export deformation bones only, or remove bones."),
    ),
)
"""None of these is an effect of weights or poses alone: each is present or not, whatever plays."""
