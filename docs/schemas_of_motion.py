"""JSON Schemas of what is played, of crowds and of game-ready copies; `write_schemas.py` writes them."""

from __future__ import annotations

from typing import Any

from .schema_parts import (
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

FEET = list_of(text("A bone's name"), "Bones that make steps")

GAITS = list_of(
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
)

CROWD_EVENTS = object_of(
    "What a crowd did",
    version=VERSION_1,
    file=text("The file"),
    seed=number("Of the crowd", type="integer"),
    count=count("How many agents there are at the end"),
    seconds=number("How long it walked about"),
    feet=FEET,
    gaits=GAITS,
    characters=list_of(
        object_of("A character", name=text("Of its armature"), feet=FEET, gaits=GAITS),
        "All characters; `feet` and `gaits` are the first one's",
    ),
    variants=list_of(
        object_of(
            "A character in a variant",
            character=text("Its armature's name"),
            share=count("Of all agents, in proportion to the others'"),
            scale=list_of({"type": "number"}, "The smallest and the largest", minItems=2, maxItems=2),
            without=list_of(text("A mesh's name"), "Meshes that these agents don't have"),
            tint=list_of(
                {"type": "number"}, "What their colours are multiplied by, linear", minItems=3, maxItems=3
            ),
        ),
        "Whom the crowd consists of",
    ),
    agents=list_of(
        object_of("An agent", variant=count("Which of `variants`"), scale=number("Its own")),
        "Who is who, by the agents' numbers",
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
    moves_as_object=flag("Whether it moves against its armature as an object; it is not fitted then"),
    uncorrected=by_name(MEASURE, "As `after`, with clip bones at rest on their helpers; empty without any"),
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
    clip_bone=maybe_text("Its child that carries its vertices and is keyed in clips; null without one"),
)

REFIT = object_of(
    "Game-ready copies",
    version=VERSION_1,
    file=text("The file"),
    profile=text("The profile's id"),
    output=text("The file that was written"),
    left_out=list_of(text("An armature's name"), "Game-ready copies that the file had already"),
    file_notes=list_of(text("A sentence"), "What the written file lacks, or has otherwise than Blender"),
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
    "play-events": ("What `skinscope play --events` writes", PLAY_EVENTS),
    "crowd-events": ("events.json of `skinscope crowd`", CROWD_EVENTS),
    "refit": ("What `skinscope refit --report` writes", REFIT),
}
