"""Writes docs/schemas: JSON Schemas (draft 2020-12) of what Skinscope writes for other programs.

    .venv/bin/python docs/write_schemas.py

A test holds the files to it, and what the program writes to the files. Readers should ignore keys that they
don't know: versions may add some.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "schemas"

Schema = dict[str, Any]


def _text(about: str, **more: Any) -> Schema:
    return {"type": "string", "description": about, **more}


def _maybe_text(about: str) -> Schema:
    return {"type": ["string", "null"], "description": about}


def _flag(about: str) -> Schema:
    return {"type": "boolean", "description": about}


def _count(about: str, **more: Any) -> Schema:
    return {"type": "integer", "minimum": 0, "description": about, **more}


def _number(about: str, **more: Any) -> Schema:
    return {"type": "number", "description": about, **more}


def _measured(about: str) -> Schema:
    return {"type": ["number", "null"], "description": f"{about}; null if it is not finite"}


def _list(of: Schema, about: str, **more: Any) -> Schema:
    return {"type": "array", "items": of, "description": about, **more}


def _one_of(values: list[Any], about: str) -> Schema:
    return {"enum": values, "description": about}


def _object(about: str, /, **keys: Schema) -> Schema:
    return {"type": "object", "description": about, "properties": keys, "required": list(keys)}


def _or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


LIBRARY = _maybe_text("The file that it is linked from, as seen from the checked file; null if local")

SUPPRESSED = _or_null(
    _object(
        "Why a configuration or the object accepts it; null if neither does",
        reason=_text("Why"),
        until=_maybe_text("The last day, as 2027-03-01; null for ever"),
    )
)

EVIDENCE = _or_null(
    _object(
        "What the prediction of this stage was compared with; null if it is assumed",
        by=_text("The program"),
        version=_text("Its version"),
        rigs=_count("How many rigs"),
        figure=_number("The largest distance of a vertex, as a share of the diagonal"),
    )
)

NORMALS = _or_null(
    _object(
        "Angles between the engine's normals and Blender's, in degrees; null under Blender's own profile",
        max=_measured("The largest"),
        p99=_measured("99% are at most this far off"),
        mean=_measured("The mean over the surface"),
        by_rule=_measured("The largest that comes from how the shader transforms normals"),
        clip=_text("The clip of that frame"),
        frame=_number("The frame with the largest mean"),
    )
)

DEVIATION = _object(
    "The frame with the largest deviation from Blender",
    max=_measured("The largest distance of a vertex"),
    rms=_measured("The root mean square"),
    p99=_measured("99% of the vertices are at most this far off"),
    relative=_measured("The largest as a share of size and movement, of all frames"),
    unit=_one_of(["m"], "Of all lengths: metres"),
    worst_vertex=_number("The vertex that is furthest off; -1 if there is none", type="integer", minimum=-1),
    clip=_text("Its clip"),
    frame=_number("Its frame, in the clip's time"),
    frames=_count("How many frames were measured"),
    bone=_text("The bone that moves the worst vertex most"),
    surface=_measured("The share of the surface that is off in that frame"),
    along_normal=_measured("The worst vertex's deviation along its normal"),
    tangential=_measured("And across it"),
    run={"type": ["integer", "null"], "description": "How many measured frames in a row have anything off"},
    pop=_measured("The largest change of a vertex's deviation from one measured frame to the next"),
    verdict=_one_of(["same", "good", "look", "fail", None], "About that frame"),
    normals=NORMALS,
    parts=_list(
        _object(
            "A part of the body with anything off",
            bone=_text("The bone that moves it most"),
            max=_measured("Its largest distance"),
            share=_measured("The share of its vertices that is off"),
        ),
        "The worst first",
        maxItems=20,
    ),
    tolerance=_number("The largest deviation that passes", exclusiveMinimum=0),
    tolerance_unit=_one_of(["relative", "m"], "Of the tolerance: a share of size and movement, or metres"),
    passed=_flag("Whether it is within the tolerance"),
    known=_flag("Whether the baseline has it"),
    suppressed=SUPPRESSED,
)

MESH = _object(
    "A measured mesh, under one profile",
    object=_text("The object's name"),
    library=LIBRARY,
    armature=_maybe_text("The first armature's name"),
    armatures=_list(_text("A name"), "All armatures, in the order in which they deform it"),
    armature_libraries=_list(LIBRARY, "Their libraries"),
    vertices=_count("How many vertices"),
    joints=_count("How many bones, in all its palettes together"),
    exact=_flag("Whether Skinscope's passes reproduce everything that Blender does"),
    reasons=_list(_text("A sentence"), "Why not"),
    device=_one_of(["cpu", "gpu", "engine"], "What skinned it"),
    technique=_text("How"),
    profile=_text("The profile's id"),
    exporter_settings={
        "type": "object",
        "description": "The exporter's settings that the profile was told of",
    },
    verified=_object(
        "What of the prediction was compared with another program",
        file=EVIDENCE,
        **{"import": EVIDENCE},
        playback=EVIDENCE,
        skinning=EVIDENCE,
        beyond=_list(_text("A sentence"), "What is known not to be predicted"),
    ),
    deviation=DEVIATION,
)

FINDING = _object(
    "A cause of trouble on one object",
    rule=_text("The rule's identifier", pattern="^[a-z0-9-]+$"),
    severity=_one_of(["error", "warning", "info"], "An error makes a check fail unless it is accepted"),
    object=_text("The object's name; empty for none"),
    library=LIBRARY,
    count=_count("How many vertices, or other things, it is about"),
    deviation=_measured("What the cause does alone, in metres"),
    at_worst=_measured("What it does at the mesh's worst vertex and frame"),
    message=_text("One sentence", minLength=1),
    fix=_text("What to do; may be empty"),
    vertices=_list(_count("A vertex"), "The worst first", maxItems=100),
    clip=_maybe_text("When it is that large"),
    frame={"type": ["number", "null"], "description": "Likewise"},
    profile=_maybe_text("The profile's id; null for all"),
    known=_flag("Whether the baseline has it"),
    suppressed=SUPPRESSED,
)

FILE = _object(
    "A checked file",
    file=_text("Its path, as it was named"),
    error=_maybe_text("Why it could not be checked"),
    passed=_flag(
        "Whether everything is within tolerance and no finding is an error, except what is accepted"
    ),
    verdict=_one_of(["same", "good", "look", "fail", None], "Of its worst mesh"),
    meshes=_list(MESH, "Each once for each profile"),
    findings=_list(FINDING, "Errors first"),
    suppressions=_list(
        _object(
            "A suppression that an object carries",
            rule=_text("The rule's identifier"),
            object=_text("The object's name"),
            library=LIBRARY,
            reason=_text("Why"),
            until=_maybe_text("The last day"),
        ),
        "Current or not",
    ),
    picture=_maybe_text("The path of a picture at its worst frame; null without one"),
    fixed=_list(_text("A sentence"), "About the copy in which something was mended, with --fix"),
)

RUN = _object(
    "The check of a list of files that it is part of",
    id=_text("The same for all shards", pattern="^[0-9a-f]{16}$"),
    files=_count("How many are in the list"),
    shard=_count("Which part this is, from 1", minimum=1),
    shards=_count("Of how many", minimum=1),
)

HEAD = _object(
    "The first line",
    version=_one_of([1], "Of the format"),
    skinscope=_text("The program's version"),
    run=RUN,
)

LINE = {
    **FILE,
    "properties": {
        **FILE["properties"],
        "number": _count("Its place in the list, from 1", minimum=1),
        "done": _count("How many files are done"),
        "of": _count("Of how many, here"),
        "seconds": _number("How long it took"),
        "seconds_left": _number("How long the rest takes, about"),
        "blender": _text("Blender's version"),
        "sha256": _text("The file's content; empty if it can't be read", pattern="^([0-9a-f]{64})?$"),
        "internal": _flag("Whether the error is a defect of Skinscope"),
    },
}
LINE["required"] = list(LINE["properties"])

BASELINE = _object(
    "A baseline of known problems",
    version=_one_of([1], "Of the format"),
    findings=_list(
        _object(
            "A known problem",
            file=_text("The file, relative to the baseline's folder"),
            rule=_text("The rule's identifier"),
            object=_text("The object's name"),
            library=LIBRARY,
            profile=_text("The profile's id; empty for all"),
            deviation=_measured("How far off it was, in metres"),
        ),
        "Sorted",
    ),
)
BASELINE["properties"]["files"] = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": "The SHA-256 digest of each file's content",
}

BONE_TEXTURE = _object(
    "The manifest of a bone texture",
    version=_one_of([1], "Of the format"),
    generator=_text("The program"),
    character=_text("The armature's name"),
    mesh=_text("The file with the mesh, joints and weights"),
    axes=_text("Up, handedness and unit"),
    texture=_object(
        "The pixels",
        file=_text("The file, rows one after the other"),
        format=_one_of(["float32", "half", "unorm16"], "Of a number"),
        width=_count("Pixels in a row", minimum=1),
        height=_count("Rows", minimum=1),
        pixels_per_bone=_count("In a sample", minimum=1),
        strips=_count("Side by side, of samples that one column has no room for", minimum=1),
    ),
    bones=_list(
        _object(
            "A bone, by its number in the mesh's JOINTS_0",
            name=_text("Its name"),
            parent=_number("Its parent's number; -1 for none", type="integer", minimum=-1),
            rest=_list({"type": "number"}, "Its rest matrix, column by column", minItems=16, maxItems=16),
        ),
        "In the order of the texture",
    ),
    clips=_list(
        _object(
            "A clip",
            name=_text("Its name"),
            first_sample=_count("Where it begins"),
            samples=_count("How many it has", minimum=1),
            seconds=_number("How long it is", minimum=0),
            samples_per_second=_number("The rate"),
            loops=_flag("Whether its end is its beginning"),
            deviation=_number("How far a vertex is off at most, in metres"),
        ),
        "One after the other",
    ),
)

# Of unorm16 alone, whose numbers from 0 to 1 stand for these ranges.
BONE_TEXTURE["properties"]["clips"]["items"]["properties"]["translation"] = {
    "type": "array",
    "items": {"type": "array", "items": {"type": "number"}},
    "description": "The least and the largest translation along each axis, in metres",
}

SCHEMAS: dict[str, tuple[str, Schema]] = {
    "report": (
        "What `skinscope check --format json` and `skinscope report --format json` write",
        {
            **_object(
                "A report",
                version=_one_of([1], "Of the format"),
                skinscope=_text("The program's version"),
                blender=_text("Blender's version"),
                files=_list(FILE, "In the order of the list"),
                passed=_flag("Whether all of them passed"),
            )
        },
    ),
    "report-lines": (
        "Each line of `skinscope check --format jsonl`: a head, then the files as they are done",
        {"anyOf": [HEAD, LINE]},
    ),
    "baseline": ("What `skinscope check --write-baseline` writes", BASELINE),
    "bone-texture": ("bone-texture.json of `skinscope bone-texture`", BONE_TEXTURE),
}
# Reports of other commands are of no run.
SCHEMAS["report"][1]["properties"]["run"] = RUN


def written() -> dict[str, str]:
    """Return the files by their names."""
    return {
        f"{name}.schema.json": json.dumps(
            {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **schema}, indent=2
        )
        + "\n"
        for name, (title, schema) in SCHEMAS.items()
    }


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in written().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
