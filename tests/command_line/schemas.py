"""Validates reports against the published schemas in the folder `schemas`; its README gives their sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import xmlschema

FOLDER = Path(__file__).parent / "schemas"


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
