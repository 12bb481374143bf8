"""The suppressions that objects carry in a custom property."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...core.text.errors import ConfigError
from ...core.verdicts.finding import Finding
from ...core.verdicts.rules import RULES
from ...core.verdicts.suppression import PROPERTY, Suppression, read_property
from ...scene.identification import identity


def suppressions_of(objects: Iterable[bpy.types.Object]) -> tuple[list[Suppression], list[Finding]]:
    """Return the suppressions that objects carry, and findings about those that can't be read."""
    found: list[Suppression] = []
    wrong: list[Finding] = []
    for one in objects:
        if PROPERTY not in one:
            continue
        try:
            found += read_property(one[PROPERTY], identity(one), RULES)
        except ConfigError as error:
            rule = RULES["suppression-unreadable"]
            wrong.append(rule.finding(identity(one), rule.told(object=identity(one), reason=error.args[0])))
    return found, wrong
