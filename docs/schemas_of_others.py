"""JSON Schemas of what commands other than `check` write; `write_schemas.py` writes them."""

from __future__ import annotations

from typing import Any

from .schema_parts import (
    LIBRARY,
    Schema,
    count,
    flag,
    list_of,
    maybe_text,
    number,
    object_of,
    one_of,
    or_null,
    text,
)

VERSION_1 = one_of([1], "Of the format")

ROWS = list_of(list_of({"type": "number"}, "A row"), "A matrix for row vectors", minItems=4, maxItems=4)


def by_name(of: Schema, about: str) -> Schema:
    """A value for each name."""
    return {"type": "object", "additionalProperties": of, "description": about}


AXES = {
    "up": text("The axis that points up, such as Z"),
    "forward": text("The axis that a character faces, such as -Y"),
    "handedness": one_of(["left", "right"], "Of the axes"),
}

MATERIAL = object_of(
    "A material slot",
    name=maybe_text("The material's name; null for an empty slot"),
    library=LIBRARY,
    color=list_of({"type": "number"}, "Linear red, green and blue", minItems=3, maxItems=3),
    image=maybe_text("What feeds the base color; null without an image"),
    image_file=maybe_text("Its file; null if it is packed"),
)

ARMATURE = {
    "armature": text("The armature's name"),
    "armature_library": LIBRARY,
}

BUNDLE = object_of(
    "The index of a bundle",
    version=one_of([2], "Of the format"),
    file=text("The file that was exported"),
    profile=text("The profile's id"),
    unit_scale=number("Metres in a unit of the scene"),
    axes=object_of("Of all arrays", **AXES),
    engine_axes=object_of("Of the engine", **AXES, unit=number("Metres in a unit")),
    packing=object_of(
        "The format of the buffers",
        weights=one_of(["f32", "unorm16", "unorm8"], "Of a weight"),
        last_implied=flag("Whether the last weight is what the others leave"),
        normalised_by=one_of(["never", "homogeneous", "shader"], "What divides by the sum of the weights"),
        normals=text("How the shader turns normals"),
        index_bits=count("Of a joint's index"),
        palette_rows=count("Of a joint's matrix"),
        palette_entries={
            "type": ["integer", "null"],
            "description": "Joints in a palette; null for any number",
        },
    ),
    clips_from=maybe_text("The file that clips were taken from; null if it is the same"),
    clips=list_of(
        object_of(
            "A clip",
            name=text("Its name"),
            file=text("Where it comes from"),
            frames=list_of({"type": "number"}, "In its own time"),
        ),
        "In order",
    ),
    bones=one_of(["all", "influencing"], "Which bones there are"),
    meshes=list_of(
        object_of(
            "A skin",
            object=text("The object's name"),
            library=LIBRARY,
            **ARMATURE,
            folder=text("Where its arrays are"),
            vertices=count("How many"),
            joints=count("How many, the one that stays included"),
            exact=flag("Whether Blender's result can be reproduced"),
            reasons=list_of(text("A sentence"), "Why it can't"),
            materials=list_of(MATERIAL, "A slot each"),
            passes=list_of(
                object_of(
                    "What deforms it",
                    **ARMATURE,
                    blend=one_of(["linear", "volume", "dual quaternion"], "How joints are blended"),
                    input=one_of(["previous", "run start"], "What it starts from"),
                    masked=flag("Whether a mask limits it"),
                ),
                "In order",
            ),
        ),
        "In order",
    ),
    skeletons=list_of(
        object_of("An armature", **ARMATURE, folder=text("Where its arrays are"), bones=count("How many")),
        "In order",
    ),
    parts=list_of(
        object_of(
            "An object that bones carry",
            object=text("The object's name"),
            library=LIBRARY,
            type=text("Blender's type of object"),
            **ARMATURE,
            parent=object_of(
                "What it is parented to",
                object=text("The object's name"),
                library=LIBRARY,
                bone=maybe_text("The bone; null without one"),
            ),
            folder=text("Where its arrays are"),
            vertices=count("How many; 0 for an object that shows nothing"),
            materials=list_of(MATERIAL, "A slot each"),
        ),
        "Parents before their children",
    ),
    left_out=list_of(
        object_of(
            "An object that is not in the bundle",
            object=text("The object's name"),
            library=LIBRARY,
            reason=text("A sentence"),
            of_character=flag("Whether it belongs there"),
        ),
        "In order",
    ),
)

WORST: Schema = object_of(
    "Where a vertex is furthest off",
    max=number("The largest distance of a vertex, in metres"),
    rms=number("The root mean square"),
    p99=number("99% of the vertices are at most this far off"),
    relative=number("The largest as a share of size and movement, of all frames"),
    unit=one_of(["m"], "Of all lengths: metres"),
    worst_vertex=number("The vertex that is furthest off", type="integer", minimum=-1),
    clip=text("Its clip"),
    frame=number("Its frame, in the clip's time"),
    frames=count("How many were compared"),
    bone=text("The bone that moves the worst vertex most"),
    **{
        name: {"type": "null", "description": "Not measured here"}
        for name in ("surface", "along_normal", "tangential", "run", "pop", "verdict", "parts", "normals")
    },
)

DIFF = object_of(
    "An engine's own positions, compared with a bundle",
    version=VERSION_1,
    skinscope=text("The program's version"),
    bundle=text("The folder of the bundle"),
    positions=text("The file of positions"),
    object=text("The object's name"),
    profile=text("The profile's id"),
    space=text("The space that positions are in"),
    axes=object_of(
        "The engine's axes, by ours",
        x=text("Such as -Y"),
        y=text("Such as Z"),
        z=text("Such as X"),
        handedness=one_of(["left", "right"], "Of the axes"),
    ),
    unit=maybe_text("Of the positions; null if it is none that has a name"),
    scale=number("Of the positions, compared with ours"),
    vertices=count("Of the positions"),
    matched_by=text("How vertices were matched"),
    unmatched=list_of({"type": "integer"}, "Vertices without a match, some of them"),
    unmatched_count=count("How many there are"),
    ambiguous=count("Vertices that look alike at rest, matched by their pose"),
    found=count("Vertices of the mesh that were matched"),
    deviation={
        **WORST,
        "description": "From the prediction",
        "properties": {
            **WORST["properties"],
            "tolerance": number("The largest deviation that passes", exclusiveMinimum=0),
            "tolerance_unit": one_of(["relative", "m"], "Of the tolerance"),
            "passed": flag("Whether it is within the tolerance"),
        },
    },
    deviation_from_blender={**WORST, "description": "From Blender's own mesh"},
    findings=list_of(
        object_of(
            "A finding",
            rule=text("The rule's identifier"),
            severity=one_of(["error", "warning", "info"], "How bad it is"),
            message=text("A sentence"),
            count=count("How many vertices it is about"),
        ),
        "In order",
    ),
    passed=flag("Whether all is well"),
)

PLAY_EVENTS = object_of(
    "What was played, and the markers passed",
    version=VERSION_1,
    file=text("The file"),
    seconds=number("How long it was played"),
    transition={"type": ["number", "null"], "description": "Seconds of a fade; null if a script decides"},
    script=maybe_text("The script for the controller; null without one"),
    clips=list_of(
        object_of(
            "A baked clip",
            name=text("Its name"),
            file=text("Where it comes from"),
            seconds=number("How long it is"),
            keys=count("How many keys it has"),
            bytes=count("Of memory that they take"),
            missing=list_of(text("A bone's name"), "Bones that it has no keys for"),
            shear=list_of(
                object_of(
                    "What keys of translation, rotation and scale can't hold",
                    bone=text("The bone's name"),
                    amount=number("The largest difference of a matrix's entry"),
                    frame=number("Where"),
                ),
                "The worst first",
            ),
            reduction=or_null(
                object_of(
                    "What leaving out keys costs; null if none were",
                    distance=number("How far a vertex is off at most, in scene units"),
                    keys_before=count("Keys before"),
                    bytes_before=count("Bytes before"),
                )
            ),
            root_motion=or_null(
                object_of(
                    "What was taken out of the root bone; null if nothing was",
                    bone=text("The root bone's name"),
                    up=one_of(["X", "Y", "Z"], "The axis that points up"),
                    seconds=list_of({"type": "number"}, "Of each sample"),
                    offset=list_of(list_of({"type": "number"}, "Along each axis"), "Of each sample"),
                    heading=list_of({"type": "number"}, "Of each sample, in radians"),
                )
            ),
        ),
        "In the order in which they are played",
    ),
    events=list_of(
        object_of(
            "A marker that was passed",
            time=number("Seconds on the controller's clock"),
            instance=count("Whose it is"),
            track=count("The track that plays the clip"),
            clip=text("The clip that has it"),
            marker=text("Its name"),
            weight=number("Of the track at that time"),
            backwards=flag("Whether the clip was played backwards"),
            data={"description": "The marker's own"},
        ),
        "In order of time",
    ),
    state={"type": "object", "description": "The controller's whole state at the end, to go on from"},
)

CROWD_EVENTS = object_of(
    "What a crowd did",
    version=VERSION_1,
    file=text("The file"),
    seed=number("Of the crowd", type="integer"),
    count=count("How many agents there are at the end"),
    seconds=number("How long it walked about"),
    feet=list_of(text("A bone's name"), "Bones that make steps"),
    gaits=list_of(
        object_of(
            "A clip and what was found about it",
            clip=text("Its name"),
            seconds=number("How long it is"),
            travels=flag("Whether its root moves"),
            speed=number("Metres a second"),
            stride=number("Metres in a cycle"),
            forward=list_of({"type": "number"}, "The direction", minItems=2, maxItems=2),
            drift=number("How far a planted foot slides, in millimetres"),
            contacts=list_of(
                object_of(
                    "A foot comes down", phase=number("In the cycle, 0 to 1"), foot=text("The bone's name")
                ),
                "In order",
            ),
        ),
        "Idle, walk, run",
    ),
    events=list_of(
        {
            "type": "object",
            "description": "A footstep has clip, name and weight too; anything else has not",
            "properties": {
                "event": text("What happened, such as footstep"),
                "time": number("Seconds since the beginning"),
                "agent": count("Whose it is"),
                "clip": text("The clip that has the step"),
                "name": text("The foot's bone"),
                "weight": number("How much the clip was heard"),
            },
            "required": ["event", "time", "agent"],
        },
        "In order of time",
    ),
    closest={
        "type": ["number", "null"],
        "description": "The least distance of two agents, in metres; null for none",
    },
    settings={"type": "object", "description": "Everything that the crowd was made with"},
)

MEASURE = object_of(
    "Distances in metres",
    largest=number("The largest"),
    nearly_all=number("99.9% are at most this"),
    root_mean_square=number("The root mean square"),
)

ANGLES = or_null(
    object_of(
        "Angles to the original's, in degrees; null if there are none",
        largest=number("The largest"),
        nearly_all=number("99.9% are at most this"),
    )
)

FIT = object_of(
    "The weights of a mesh",
    mesh_object=text("The object's name"),
    before=by_name(MEASURE, "Of the former weights, by clip"),
    after=by_name(MEASURE, "Of the new weights, by clip"),
    held_out_before=by_name(MEASURE, "Of the former weights, in frames that the fit has not seen"),
    held_out=by_name(MEASURE, "Of the new weights there"),
    returned=count("Vertices whose former weights came back"),
    worse=count("Vertices that are further off in some frame"),
    fitted=count("Vertices with new weights"),
    vertices=count("How many there are"),
)

HELPER = object_of(
    "A bone whose motion follows from others",
    name=text("Its name"),
    rest_to_root=ROWS,
    parent=maybe_text("Its parent's name; null for none"),
    parent_rest_to_root=or_null(ROWS),
    blend=one_of(["dual quaternions", "matrices"], "How its drivers are blended"),
    drivers=list_of(
        object_of("A driver", bone=text("Its name"), share=number("Its share"), rest_to_root=ROWS),
        "Shares add up to one",
    ),
)

REFIT = object_of(
    "Game-ready copies",
    version=VERSION_1,
    file=text("The file"),
    profile=text("The profile's id"),
    output=text("The file that was written"),
    copies=list_of(
        object_of(
            "A copy",
            armature=text("The original's name"),
            collection=text("The copy's collection"),
            bones=list_of(
                object_of("A bone", name=text("Its name"), parent=maybe_text("Its parent's; null for none")),
                "Parents first",
            ),
            meshes=list_of(text("An object's name"), "In order"),
            clips=list_of(text("A clip's name"), "In order"),
            kind=one_of(["runtime", "baked"], "Of the copy"),
            note=text("What the copy says of itself; empty for nothing"),
            tolerance=number("That was asked for, in metres; 0 for none"),
            reached=number("In frames that the fit has not seen, 99.9%, in metres"),
            drifts=list_of(
                object_of(
                    "A bone of a baked clip that does not move as authored",
                    bone=text("Its name"),
                    distance=number("Of its head, in the armature's unit"),
                    degrees=number("That it is turned by"),
                ),
                "The most first",
            ),
            anchored=list_of(text("A bone's name"), "Bones that may not drift"),
            before=number("How far the engine is off without the copy, in metres"),
            moved=number("How far the copy is off in Blender, in metres"),
            after=number("How far the engine is off with the copy, in metres"),
            normals=ANGLES,
            tangents=ANGLES,
            parts=list_of(
                object_of(
                    "A part of the body",
                    part=text("In words"),
                    before=number("In metres, without the copy"),
                    after=number("With it"),
                ),
                "The worst first",
            ),
            fits=list_of(FIT, "A mesh each"),
            helpers=list_of(HELPER, "In order"),
            rejected_helpers=count("That made frames worse which the fit has not seen"),
            sheared=list_of(
                object_of(
                    "A bone whose shear is lost",
                    bone=text("Its name"),
                    error=number("Of a point at its end, in the armature's unit"),
                ),
                "The worst first",
            ),
        ),
        "A character each",
    ),
)

SCHEMAS: dict[str, tuple[str, dict[str, Any]]] = {
    "bundle": ("bundle.json of `skinscope export`", BUNDLE),
    "diff": ("What `skinscope diff --format json` writes", DIFF),
    "play-events": ("What `skinscope play --events` writes", PLAY_EVENTS),
    "crowd-events": ("events.json of `skinscope crowd`", CROWD_EVENTS),
    "refit": ("What `skinscope refit --report` writes", REFIT),
}
