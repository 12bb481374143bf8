"""Game-ready copies as the cure in the sidebar's check, beside its other findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy

from ...core.verdicts.finding import worst_first
from ...scene.identification import find_object
from ...scene.objects.modifier_stack import armature_objects
from ...scene.staging.clip_staging import Scanned
from ..refit.copy_estimate import Character, findings_of_cure
from .profile_report import ProfileReport


def with_cures(scene: bpy.types.Scene, report: ProfileReport, playbacks: Sequence[Scanned]) -> ProfileReport:
    """Return a report that names copies that would leave much less, with an estimate of that.

    Creates and removes data-blocks; the user's objects stay as they are.
    """
    off = {one.mesh: one.worst for one in report.meshes}
    by_armature: dict[bpy.types.Object, list[bpy.types.Object]] = {}
    for name in off:
        mesh = find_object(name)
        armatures = set(armature_objects(mesh)) if mesh is not None else set()
        if mesh is not None and len(armatures) == 1:
            by_armature.setdefault(armatures.pop(), []).append(mesh)
    found = [
        one
        for armature, meshes in by_armature.items()
        for one in findings_of_cure(
            Character(scene, armature, meshes, playbacks), off, report.findings, report.profile
        )
    ]
    return replace(report, findings=worst_first((*report.findings, *found))) if found else report
