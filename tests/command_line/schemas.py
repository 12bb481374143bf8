"""Validates reports: against other people's schemas in the folder `schemas`, whose README gives their sources, and
against our own in docs/schemas.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import xmlschema

from tests.installed_package import CHECKOUT

FOLDER = Path(__file__).parent / "schemas"

OWN = CHECKOUT / "docs" / "schemas"


def validator(name: str) -> jsonschema.Draft202012Validator:
    """Return the validator of one of our own formats, such as 'report'."""
    schema = json.loads((OWN / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def undescribed(value: Any, schema: Any, place: str = "") -> list[str]:
    """Return the places of keys that a valid document has and its schema does not describe."""
    if "anyOf" in schema:
        fitting = [one for one in schema["anyOf"] if jsonschema.Draft202012Validator(one).is_valid(value)]
        return min((undescribed(value, one, place) for one in fitting), key=len)
    if isinstance(value, dict) and "properties" in schema:
        known = schema["properties"]
        found = [f"{place}.{key}" for key in value if key not in known]
        inner = (undescribed(one, known[key], f"{place}.{key}") for key, one in value.items() if key in known)
        return [*found, *(one for each in inner for one in each)]
    if isinstance(value, list):
        return [one for item in value for one in undescribed(item, schema["items"], f"{place}[]")]
    return []


def valid_sarif(text: str) -> Any:
    """Return the log, or fail if it isn't valid SARIF."""
    log = json.loads(text)
    schema = json.loads((FOLDER / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))
    jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)
    return log


def valid_junit(text: str) -> Any:
    """Return the root element, or fail if it isn't a valid JUnit report."""
    root = xmlschema.XMLResource(text).root
    xmlschema.XMLSchema(FOLDER / "junit-10.xsd").validate(text)
    return root
