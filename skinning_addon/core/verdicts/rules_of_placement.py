"""Rules about how a mesh is attached to its armature, of which a file holds less than Blender plays."""

from __future__ import annotations

from ..text.message import Message
from .rule import Rule

CAUSES_OF_PLACEMENT = (
    Rule(
        id="mesh-moves",
        severity=None,
        name=Message("Mesh Moves"),
        cause=Message("The mesh moves relative to its armature, and the file holds it still"),
        details="the mesh object has keys, drivers or constraints of its own, or the armature object is "
        "animated and does not carry the mesh. A skin has no place for that: a file holds the mesh where it is "
        "relative to the armature at one frame, and it follows the armature object from there. That is frame 0 "
        "for a .glb (the current frame with *Use Current Frame as Object Rest Transformations*), the scene's "
        "first frame for USD, and the current frame for FBX",
        sentence=Message(
            "'{mesh}' moves relative to its armature, and the file for {profile} holds it still: {where}."
        ),
        fix=Message(
            "Parent the mesh to its armature, and key bones instead of the object: give its motion to a bone, "
            "and weight the mesh to that bone and its children."
        ),
    ),
    Rule(
        id="skin-on-bone",
        severity=None,
        name=Message("Skin on a Bone"),
        cause=Message("The mesh is parented to a bone, and the exporter leaves out its skin"),
        details="the mesh is parented to a bone of the armature that also deforms it. The glTF exporter writes "
        "it without its skin, so that it follows that bone rigidly; FBX keeps the skin",
        sentence=Message(
            "'{mesh}' is parented to a bone, so the file for {profile} has it without its skin, and it follows "
            "that bone rigidly: {where}."
        ),
        fix=Message(
            "Parent the mesh to the armature object instead (Object > Parent > Object, with Keep Transform)."
        ),
    ),
)
"""Each is the effect of one aspect of a profile (`profiles.aspects`)."""
