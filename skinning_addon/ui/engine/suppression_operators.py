"""Accepts a finding for a reason, in a custom property of its object, and takes that back."""

from __future__ import annotations

from typing import ClassVar

import bpy
from bpy.props import StringProperty

from ...core.text.errors import ConfigError, UsageError
from ...core.text.message import Message
from ...core.verdicts.finding import Finding
from ...core.verdicts.rules import RULES
from ...core.verdicts.suppression import (
    PROPERTY,
    Suppression,
    read_day,
    read_property,
    suppressing,
    this_day,
    written,
)
from ...scene.identification import identity
from ...viewport.redraw import redraw_views
from .checked_objects import checked_object
from .finding_operators import OnFinding, named_object

NO_OBJECT = Message("This finding is about the whole file; suppress it in skinscope.toml")
LINKED = Message("Make the object local, or a library override: linked objects can't be edited")


def suppression_of(scene: bpy.types.Scene, finding: Finding) -> Suppression | None:
    """Return what suppresses a finding now, on its object; None if nothing does."""
    found = checked_object(scene, finding.object) if finding.object else None
    if found is None or PROPERTY not in found:
        return None
    today = this_day()
    one = suppressing(
        _read(found), today, rule=finding.rule, about=identity(found), profile="", deviation=finding.deviation
    )
    return None if one is None or one.has_ended(today) else one


def _read(owner: bpy.types.Object) -> tuple[Suppression, ...]:
    """Return an object's suppressions; none where they can't be read, which `check` reports."""
    try:
        return read_property(owner.get(PROPERTY, ""), identity(owner), RULES)
    except ConfigError:
        return ()


def _write(owner: bpy.types.Object, suppressions: list[Suppression]) -> None:
    if suppressions:
        owner[PROPERTY] = written(suppressions)
    elif PROPERTY in owner:
        del owner[PROPERTY]
    redraw_views()


class SKINSCOPE_OT_finding_suppress(OnFinding, bpy.types.Operator):
    """Accept this finding of this object for a reason: checks still report it, but don't fail because of it"""

    bl_idname = "skinscope.finding_suppress"
    bl_label = "Suppress Finding"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    reason: StringProperty(name="Reason", description="Why it is accepted, for whoever reads the report")
    until: StringProperty(
        name="Until", description="The last day, such as 2027-03-01; if empty, it is suppressed for ever"
    )

    @classmethod
    def unfit(cls, finding: Finding, context: bpy.types.Context) -> str:
        if not finding.object:
            return NO_OBJECT
        found = checked_object(context.scene, finding.object)
        return LINKED if found is not None and found.library else ""

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        return context.window_manager.invoke_props_dialog(self)

    def run(self, context: bpy.types.Context, finding: Finding) -> None:
        reason = " ".join(self.reason.replace(";", ",").split())
        if not reason:
            raise UsageError("A suppression needs a reason; write one.")
        try:
            until = read_day(self.until.strip()) if self.until.strip() else None
        except ConfigError as error:
            raise UsageError(
                "'{text}' is not a day; write one such as 2027-03-01.", text=self.until.strip()
            ) from error
        owner = named_object(context.scene, finding)
        present = _read(owner)
        if owner.get(PROPERTY) and not present:
            raise UsageError(
                "The custom property {name} of '{object}' holds something else; edit or remove it first.",
                name=PROPERTY,
                object=owner.name,
            )
        others = [one for one in present if one.rule != finding.rule]
        _write(owner, [*others, Suppression(finding.rule, reason, until, identity(owner))])


class SKINSCOPE_OT_finding_count(OnFinding, bpy.types.Operator):
    """Let this finding of this object count again"""

    bl_idname = "skinscope.finding_count"
    bl_label = "Stop Suppressing"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    @classmethod
    def unfit(cls, finding: Finding, context: bpy.types.Context) -> str:
        if suppression_of(context.scene, finding) is None:
            return Message("This finding is not suppressed")
        return SKINSCOPE_OT_finding_suppress.unfit(finding, context)

    def run(self, context: bpy.types.Context, finding: Finding) -> None:
        owner = named_object(context.scene, finding)
        _write(owner, [one for one in _read(owner) if one.rule != finding.rule])
