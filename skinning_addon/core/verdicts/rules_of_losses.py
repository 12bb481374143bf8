"""Rules about what an exported file lacks of what Blender plays."""

from __future__ import annotations

from ..text.message import Message
from .finding import Severity
from .rule import Rule

_SCENE = {"export_animation_mode": "SCENE"}

_SCENE_IN_ALL = _SCENE | {"bake_anim_use_nla_strips": False, "bake_anim_use_all_actions": False}

RULES_OF_LOSSES = (
    Rule(
        id="pose-not-keyed",
        severity=None,
        name=Message("Pose Not Keyed"),
        cause=Message("Bones are posed without keys, and the file has them at rest"),
        details=(
            "bones are posed without keys: Blender shows the pose, the file has them at rest. The glTF "
            "exporter keeps such a pose only in the active action, if that comes first by name, or in the mode "
            "*Scene*. FBX always keeps it. A warning at most if the whole armature has no animation"
        ),
        sentence=Message(
            "Bones of '{mesh}' are posed without keys; Blender shows that pose, but {profile} has them at "
            "rest: {where}."
        ),
        fix=Message(
            "Key every bone in every action (Pose > Animation > Insert Keyframe), or export with the "
            "animation mode Scene."
        ),
        operator="skinscope.fix_keys",
        exported_with=_SCENE,
    ),
    Rule(
        id="constraints-not-baked",
        severity=None,
        name=Message("Constraints Not Baked"),
        cause=Message("Only constraints and drivers move an armature, and the file has no animation for it"),
        details=(
            "only constraints and drivers move an armature. The glTF exporter writes no animation without an "
            "action: engines show the rest pose. *Bake All Objects Animations* helps only if some action "
            "exists in the file. FBX holds the pose that the scene shows: it has such motion only without "
            "*NLA Strips* and *All Actions*"
        ),
        sentence=Message(
            "Only constraints and drivers move the bones of '{mesh}', and {profile} has no animation for them: "
            "{where}."
        ),
        fix=Message(
            "Bake the motion into an action (Pose > Animation > Bake Action), or export with the animation "
            "mode Scene."
        ),
        operator="skinscope.fix_constraints",
        exported_with=_SCENE_IN_ALL,
    ),
    Rule(
        id="other-action-in-file",
        severity=None,
        name=Message("Other Action in File"),
        cause=Message("The file has another action in place of the active one"),
        details=(
            "before Blender 4.4, the glTF exporter's mode *Active actions merged* joins all actions of a "
            "single armature, and the first one by name plays, whichever is active"
        ),
        sentence=Message(
            "{profile} has another action in place of the one that is active on the armature of '{mesh}': the "
            "first one by name: {where}."
        ),
        fix=Message("Export without Export all Armature Actions, or with the animation mode Scene."),
        exported_with={"export_anim_single_armature": False},
    ),
    Rule(
        id="nla-not-mixed",
        severity=None,
        name=Message("NLA Not Mixed"),
        cause=Message(
            "Blender mixes NLA tracks with the active action, but the file has each action by itself"
        ),
        details="NLA tracks are mixed with the active action in Blender; the file has each action by itself",
        sentence=Message(
            "Blender mixes NLA tracks with the active action of '{mesh}', but {profile} has each action by "
            "itself: {where}."
        ),
        fix=Message("Bake the mix into one action, or export with the animation mode Scene."),
        exported_with=_SCENE,
    ),
    Rule(
        id="modifier-not-exported",
        severity=None,
        name=Message("Modifier Not Exported"),
        about="Modifiers before the armature are not in the file unless they are applied",
        details=(
            "modifiers before the armature, such as Mirror, Array or Subdivision, are not in a .glb unless "
            "*Apply Modifiers* is on; `deviation` is how far from the file's mesh vertices lie that Blender "
            "shows. FBX applies them"
        ),
        sentence=Message(
            "{profile} has '{mesh}' without its modifiers ({modifiers}), and lacks vertices up to {distance} "
            "from the rest."
        ),
        fix=Message("Switch on Apply Modifiers when you export, or apply them in Blender."),
        exported_with={"export_apply": True},
    ),
    Rule(
        id="mesh-shared-in-fbx",
        severity=None,
        name=Message("Mesh Shared in FBX"),
        about="Objects share a mesh, of which an FBX file has one skin, at the place of one of them",
        details=(
            "objects share a mesh. Blender's FBX exporter writes one skin for it and an armature, of the "
            "object that comes last by name; of several, ufbx takes that of the armature that comes first "
            "by name. The other objects are shown at that object's place. `deviation` is how far off that "
            "is at rest; it is missing where the objects have armatures of their own, one of which then "
            "moves both. Objects whose modifiers are applied have a mesh of their own"
        ),
        sentence=Message(
            "'{mesh}' shares its mesh with '{other}', and an FBX file has one skin for both: {profile} shows "
            "it at the place of '{other}', up to {distance} off."
        ),
        fix=Message("Make it a mesh of its own (Object > Relations > Make Single User > Object & Data)."),
    ),
    Rule(
        id="frames-between-keys",
        severity=None,
        name=Message("Frames Between Keys"),
        cause=Message("The file has no key of some frames, where an engine interpolates"),
        details=(
            "*Sampling Rate* leaves out keys of a .glb: an engine interpolates between those that are left, "
            "and holds the last one"
        ),
        sentence=Message(
            "The sampling rate of the export leaves out keys of bones that move '{mesh}' on the way to "
            "{profile}: {where}."
        ),
        fix=Message("Export with a sampling rate of 1."),
        exported_with={"export_frame_step": 1},
    ),
    Rule(
        id="frames-cut-in-file",
        severity=None,
        name=Message("Frames Cut in File"),
        cause=Message(
            "The file lacks the beginning or the end of a clip, where an engine holds the nearest key"
        ),
        details=(
            "*Limit to Playback Range* leaves out the keys of a .glb outside the scene's frame range, and "
            "*Negative Frames: Crop* those before frame 0: an engine holds the nearest key there"
        ),
        sentence=Message(
            "The export leaves out frames of a clip of '{mesh}' on the way to {profile}, which holds the "
            "nearest key there: {where}."
        ),
        fix=Message("Export without Limit to Playback Range, and with Negative Frames set to Slide."),
        exported_with={"export_frame_range": False, "export_negative_frame": "SLIDE"},
    ),
    Rule(
        id="curves-not-sampled",
        severity=None,
        name=Message("Curves Not Sampled"),
        cause=Message(
            "The file has curves as they are, between whose keys an engine turns and scales otherwise, and "
            "nothing of what constraints and drivers do"
        ),
        details=(
            "without *Always Sample Animations*, a .glb has the keys of the curves alone. glTF turns and "
            "scales otherwise between them, constraints and drivers are lost, and bones without keys stay at "
            "rest. Channels whose curves differ in their keys, and those of bones with constraints, are "
            "sampled all the same. The exporter takes angles of every order for XYZ ones, and angles about an "
            "axis for degrees"
        ),
        sentence=Message(
            "The export writes the curves that move '{mesh}' without sampling them on the way to {profile}: "
            "{where}."
        ),
        fix=Message("Export with Always Sample Animations."),
        exported_with={"export_force_sampling": True},
    ),
    Rule(
        id="curves-not-predicted",
        severity=Severity.WARNING,
        name=Message("Curves Not Predicted"),
        about="A part of what curves play that are not sampled isn't predicted",
        details=(
            "without *Always Sample Animations*, some of what a .glb plays isn't predicted, which the sentence "
            "names: an armature that moves as a whole, keys before frame 0, components of a rotation that are "
            "keyed without the others, and importers with their own way of reading keys"
        ),
        sentence=Message(
            "The keys of '{mesh}' are written for {profile} without sampling, and {part}, which was not "
            "predicted."
        ),
        fix=Message("Export with Always Sample Animations, or measure the file with Check My Export."),
        exported_with={"export_force_sampling": True},
    ),
    Rule(
        id="armature-between-keys",
        severity=Severity.WARNING,
        name=Message("Armature Between Keys"),
        about="An armature moves as a whole, and the file has no key of some frames",
        details=(
            "an importer samples animation at a rate that doesn't fit, also that of an armature that moves as "
            "a whole, or an exporter's option leaves out keys of an armature that constraints, drivers or its "
            "parent's motion move. Where the armature is then was not measured, only what its bones do "
            "(`animation-resampled`, `frames-between-keys`, `frames-cut-in-file`)"
        ),
        sentence=Message(
            "'{armature}' moves as a whole, and {profile} has a key of it every {step} frames: where '{mesh}' "
            "is between them was not measured."
        ),
        fix=Message("Export with a sampling rate of 1."),
        exported_with={"export_frame_step": 1},
    ),
    Rule(
        id="clip-not-exported",
        severity=Severity.WARNING,
        name=Message("Clip Not Exported"),
        about="The exporter leaves out a clip that was checked",
        details=(
            "a clip that was checked is not in the file: if there are several armatures, the glTF exporter "
            "writes the active action of each, and actions that are the only strip of an NLA track. FBX has no "
            "actions without *All Actions*, and with *NLA Strips* those on strips that play"
        ),
        sentence=Message("'{clip}' was checked, but {profile} does not have it."),
        fix=Message("Put its action on an NLA track of its own (Push Down), without other strips."),
    ),
    Rule(
        id="armature-not-keyed",
        severity=Severity.WARNING,
        name=Message("Armature Not Keyed"),
        about="Bones that follow other objects are posed for another place of their armature",
        details=(
            "an action doesn't key where its armature is, and bones follow other objects by constraints or "
            "drivers. The glTF exporter poses them while the armature is where the action before has left it; "
            "in the file, it is where the exporter's own frame has it. Such bones were 0.3 of the diagonal off"
        ),
        sentence=Message(
            "'{clip}' does not key where its armature is: {profile} has bones that follow other objects as "
            "they are while the armature is where another action has left it."
        ),
        fix=Message("Key the armature's own location, rotation and scale in every action."),
    ),
)
"""Like causes, all but the last three have `where`."""
