"""The objects that a check was about, found again whatever they are called by now."""

from __future__ import annotations

import bpy

from ...scene.identification import find_object
from ...viewport.session import current_session
from ..settings.profile_settings import profile_settings


def checked_object(scene: bpy.types.Scene, which: str) -> bpy.types.Object | None:
    """Return an object that the chosen engine's check names, None where it is gone. which: its identity then.

    Meshes may have been renamed since, and another object may have that name now.
    """
    session = current_session()
    report = session.checks.results.of(scene.session_uid, profile_settings(scene).profile)
    uid = next((one.uid for one in report.meshes if one.mesh == which), None) if report is not None else None
    found = session.objects.find(uid) if uid is not None else None
    # Linked objects get another number when their library is loaded again.
    return found or find_object(which)


def checked_object_in(scene: bpy.types.Scene, which: str) -> bpy.types.Object | None:
    """Return an object of a scene that its check names, None where there is none."""
    found = checked_object(scene, which)
    return found if found is not None and any(one == found for one in scene.objects) else None
