"""A schema of the JSON report, as docs/check-report.md describes it."""

from __future__ import annotations

from typing import Any

import jsonschema

TEXT, FLAG, COUNT = {"type": "string"}, {"type": "boolean"}, {"type": "integer", "minimum": 0}
NUMBER: dict[str, Any] = {"type": ["number", "null"]}
TEXT_OR_NULL: dict[str, Any] = {"type": ["string", "null"]}


def _object(**keys: Any) -> dict[str, Any]:
    """Describe an object with at least these keys; version 1 may have more."""
    return {"type": "object", "properties": keys, "required": list(keys)}


def _list(of: Any) -> dict[str, Any]:
    return {"type": "array", "items": of}


DEVIATION = _object(
    max=NUMBER, rms=NUMBER, p99=NUMBER, relative=NUMBER, unit={"const": "m"}, worst_vertex={"type": "integer", "minimum": -1},
    clip=TEXT, frame={"type": "number"}, frames=COUNT, bone=TEXT, surface={"type": ["number", "null"]}, along_normal=NUMBER, tangential=NUMBER,
    run={"type": ["integer", "null"]}, pop=NUMBER, verdict={"enum": ["same", "good", "look", "fail", None]},
    parts=_list(_object(bone=TEXT, max=NUMBER, share=NUMBER)),
    normals={"type": ["object", "null"]}, tolerance={"type": "number", "exclusiveMinimum": 0}, tolerance_unit={"enum": ["relative", "m"]},
    passed=FLAG, known=FLAG,
)  # fmt: skip
MESH = _object(
    object=TEXT, armature=TEXT_OR_NULL, armatures=_list(TEXT), vertices=COUNT, joints=COUNT, exact=FLAG, reasons=_list(TEXT),
    device={"enum": ["cpu", "gpu"]}, technique=TEXT, profile=TEXT, deviation=DEVIATION,
)  # fmt: skip
FINDING = _object(
    rule=TEXT, severity={"enum": ["error", "warning", "info"]}, object=TEXT, count=COUNT, deviation=NUMBER,
    message={"type": "string", "minLength": 1}, fix=TEXT, vertices={"type": "array", "items": COUNT, "maxItems": 100},
    clip=TEXT_OR_NULL, frame=NUMBER, profile=TEXT_OR_NULL, known=FLAG,
)  # fmt: skip
FILE = _object(file=TEXT, error=TEXT_OR_NULL, passed=FLAG, meshes=_list(MESH), findings=_list(FINDING))
REPORT = _object(version={"const": 1}, skinscope=TEXT, blender=TEXT, files=_list(FILE), passed=FLAG)

_VALIDATOR = jsonschema.Draft202012Validator(REPORT)


def wrong_with_report(report: Any) -> str:
    """Say what is wrong with a report; '' if nothing is."""
    error = next(iter(_VALIDATOR.iter_errors(report)), None)
    return "" if error is None else f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
