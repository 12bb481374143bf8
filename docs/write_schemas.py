"""Writes docs/schemas: JSON Schemas (draft 2020-12) of what Skinscope writes for other programs.

    .venv/bin/python docs/write_schemas.py

A test holds the files to it, and what the program writes to the files. Readers should ignore keys that they
don't know: versions may add some.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "schemas"

# Run as a script, and by the tests.
sys.path.insert(0, str(FOLDER.parents[1]))

from docs.schema_parts import (  # noqa: E402
    LIBRARY,
    SUPPRESSED,
    WORST_FRAME,
    Schema,
    count,
    flag,
    list_of,
    maybe_text,
    measured,
    number,
    object_of,
    one_of,
    or_null,
    text,
)
from docs.schemas_of_bundles import SCHEMAS as OF_BUNDLES  # noqa: E402
from docs.schemas_of_motion import SCHEMAS as OF_MOTION  # noqa: E402

EVIDENCE = or_null(
    object_of(
        "What the prediction of this stage was compared with; null if it is assumed",
        by=text("The program"),
        version=text("Its version"),
        rigs=count("How many rigs"),
        figure=number("The largest distance of a vertex, as a share of the diagonal"),
    )
)

NORMALS = or_null(
    object_of(
        "Angles between the engine's normals and Blender's, in degrees; null under Blender's own profile",
        max=measured("The largest"),
        p99=measured("99% are at most this far off"),
        mean=measured("The mean over the surface"),
        by_rule=measured("The largest that comes from how the shader transforms normals"),
        clip=text("The clip of that frame"),
        frame=number("The frame with the largest mean"),
    )
)

DEVIATION = object_of(
    "The frame with the largest deviation from Blender",
    **WORST_FRAME,
    surface=measured("The share of the surface that is off in that frame"),
    along_normal=measured("The worst vertex's deviation along its normal"),
    tangential=measured("And across it"),
    run={"type": ["integer", "null"], "description": "How many measured frames in a row have anything off"},
    pop=measured("The largest change of a vertex's deviation from one measured frame to the next"),
    verdict=one_of(["same", "good", "look", "fail", None], "About that frame"),
    normals=NORMALS,
    parts=list_of(
        object_of(
            "A part of the body with anything off",
            bone=text("The bone that moves it most"),
            max=measured("Its largest distance"),
            share=measured("The share of its vertices that is off"),
        ),
        "The worst first",
        maxItems=20,
    ),
    tolerance=number("The largest deviation that passes", exclusiveMinimum=0),
    tolerance_unit=one_of(["relative", "m"], "Of the tolerance: a share of size and movement, or metres"),
    passed=flag("Whether it is within the tolerance"),
    known=flag("Whether the baseline has it"),
    suppressed=SUPPRESSED,
)

MESH = object_of(
    "A measured mesh, under one profile",
    object=text("The object's name"),
    library=LIBRARY,
    armature=maybe_text("The first armature's name"),
    armatures=list_of(text("A name"), "All armatures, in the order in which they deform it"),
    armature_libraries=list_of(LIBRARY, "Their libraries"),
    vertices=count("How many vertices"),
    joints=count("How many bones, in all its palettes together"),
    exact=flag("Whether Skinscope's passes reproduce everything that Blender does"),
    reasons=list_of(text("A sentence"), "Why not"),
    device=one_of(["cpu", "gpu", "engine"], "What skinned it"),
    technique=text("How"),
    profile=text("The profile's id"),
    exporter_settings={
        "type": "object",
        "description": "The exporter's settings that the profile was told of",
    },
    verified=object_of(
        "What of the prediction was compared with another program",
        file=EVIDENCE,
        **{"import": EVIDENCE},
        playback=EVIDENCE,
        skinning=EVIDENCE,
        beyond=list_of(text("A sentence"), "What is known not to be predicted"),
    ),
    deviation=DEVIATION,
)

FINDING = object_of(
    "A cause of trouble on one object",
    rule=text("The rule's identifier", pattern="^[a-z0-9-]+$"),
    severity=one_of(["error", "warning", "info"], "An error makes a check fail unless it is accepted"),
    object=text("The object's name; empty for none"),
    library=LIBRARY,
    count=count("How many vertices, or other things, it is about"),
    deviation=measured("What the cause does alone, in metres"),
    at_worst=measured("What it does at the mesh's worst vertex and frame"),
    message=text("One sentence", minLength=1),
    fix=text("What to do; may be empty"),
    vertices=list_of(count("A vertex"), "The worst first", maxItems=100),
    clip=maybe_text("When it is that large"),
    frame={"type": ["number", "null"], "description": "Likewise"},
    profile=maybe_text("The profile's id; null for all"),
    known=flag("Whether the baseline has it"),
    suppressed=SUPPRESSED,
)

FILE = object_of(
    "A checked file",
    file=text("Its path, as it was named"),
    error=maybe_text("Why it could not be checked"),
    passed=flag("Whether everything is within tolerance and no finding is an error, except what is accepted"),
    verdict=one_of(["same", "good", "look", "fail", None], "Of its worst mesh"),
    meshes=list_of(MESH, "Each once for each profile"),
    findings=list_of(FINDING, "Errors first"),
    suppressions=list_of(
        object_of(
            "A suppression that an object carries",
            rule=text("The rule's identifier"),
            object=text("The object's name"),
            library=LIBRARY,
            reason=text("Why"),
            until=maybe_text("The last day"),
        ),
        "Current or not",
    ),
    picture=maybe_text("The path of a picture at its worst frame; null without one"),
    fixed=list_of(text("A sentence"), "About the copy in which something was mended, with --fix"),
)

RUN = object_of(
    "The check of a list of files that it is part of",
    id=text("The same for all shards", pattern="^[0-9a-f]{16}$"),
    files=count("How many are in the list"),
    shard=count("Which part this is, from 1", minimum=1),
    shards=count("Of how many", minimum=1),
)

HEAD = object_of(
    "The first line",
    version=one_of([1], "Of the format"),
    skinscope=text("The program's version"),
    run=RUN,
)

LINE = {
    **FILE,
    "properties": {
        **FILE["properties"],
        "number": count("Its place in the list, from 1", minimum=1),
        "done": count("How many files are done"),
        "of": count("Of how many, here"),
        "seconds": number("How long it took"),
        "seconds_left": number("How long the rest takes, about"),
        "blender": text("Blender's version"),
        "sha256": text("The file's content; empty if it can't be read", pattern="^([0-9a-f]{64})?$"),
        "internal": flag("Whether the error is a defect of Skinscope"),
    },
}
LINE["required"] = list(LINE["properties"])

BASELINE = object_of(
    "A baseline of known problems",
    version=one_of([1], "Of the format"),
    findings=list_of(
        object_of(
            "A known problem",
            file=text("The file, relative to the baseline's folder"),
            rule=text("The rule's identifier"),
            object=text("The object's name"),
            library=LIBRARY,
            profile=text("The profile's id; empty for all"),
            deviation=measured("How far off it was, in metres"),
        ),
        "Sorted",
    ),
)
BASELINE["properties"]["files"] = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": "The SHA-256 digest of each file's content",
}

BONE_TEXTURE = object_of(
    "The manifest of a bone texture",
    version=one_of([1, 2], "Of the format: 2 if bones are relative to their parents"),
    generator=text("The program"),
    character=text("The armature's name"),
    mesh=text("The file with the mesh, joints and weights"),
    axes=text("Up, handedness and unit"),
    texture=object_of(
        "The pixels",
        file=text("The file, rows one after the other"),
        format=one_of(["float32", "half", "unorm16"], "Of a number"),
        width=count("Pixels in a row", minimum=1),
        height=count("Rows", minimum=1),
        pixels_per_bone=count("In a sample", minimum=1),
        strips=count("Side by side, of samples that one column has no room for", minimum=1),
    ),
    bones=list_of(
        object_of(
            "A bone, by its number in the mesh's JOINTS_0",
            name=text("Its name"),
            parent=number("Its parent's number; -1 for none", type="integer", minimum=-1),
            rest=list_of({"type": "number"}, "Its rest matrix, column by column", minItems=16, maxItems=16),
        ),
        "In the order of the texture",
    ),
    clips=list_of(
        object_of(
            "A clip",
            name=text("Its name"),
            first_sample=count("Where it begins"),
            samples=count("How many it has", minimum=1),
            seconds=number("How long it is", minimum=0),
            samples_per_second=number("The rate"),
            loops=flag("Whether its end is its beginning"),
            deviation=number("How far a vertex is off at most, in metres"),
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

# Of bones that are relative to their parents alone.
BONE_TEXTURE["properties"]["texture"]["properties"]["relative_to"] = one_of(
    ["parent"], "What a bone's numbers are relative to; its rest if left out"
)
BONE_TEXTURE["properties"]["root"] = list_of(
    {"type": "number"},
    "From the armature's space to the mesh file's, column by column",
    minItems=16,
    maxItems=16,
)

SCHEMAS: dict[str, tuple[str, Schema]] = {
    "report": (
        "What `skinscope check --format json` and `skinscope report --format json` write",
        {
            **object_of(
                "A report",
                version=one_of([1], "Of the format"),
                skinscope=text("The program's version"),
                blender=text("Blender's version"),
                files=list_of(FILE, "In the order of the list"),
                passed=flag("Whether all of them passed"),
            )
        },
    ),
    "report-lines": (
        "Each line of `skinscope check --format jsonl`: a head, then the files as they are done",
        {"anyOf": [HEAD, LINE]},
    ),
    "baseline": ("What `skinscope check --write-baseline` writes", BASELINE),
    "bone-texture": ("bone-texture.json of `skinscope bone-texture`", BONE_TEXTURE),
    **OF_BUNDLES,
    **OF_MOTION,
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
    for name, content in written().items():
        (FOLDER / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
