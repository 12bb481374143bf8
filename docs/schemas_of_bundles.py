"""JSON Schemas of bundles, and of comparisons with them; `write_schemas.py` writes them."""

from __future__ import annotations

from typing import Any

from .schema_parts import (
    LIBRARY,
    SUPPRESSED,
    WORST_FRAME,
    Schema,
    count,
    flag,
    list_of,
    maybe_text,
    number,
    object_of,
    one_of,
    text,
)

VERSION_1 = one_of([1], "Of the format")

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
            suppressions=maybe_text("What the object's custom property skinscope_suppress accepts"),
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
    **WORST_FRAME,
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
            "suppressed": SUPPRESSED,
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
            suppressed=SUPPRESSED,
        ),
        "In order",
    ),
    passed=flag("Whether all is well"),
)

SCHEMAS: dict[str, tuple[str, dict[str, Any]]] = {
    "bundle": ("bundle.json of `skinscope export`", BUNDLE),
    "diff": ("What `skinscope diff --format json` writes", DIFF),
}
