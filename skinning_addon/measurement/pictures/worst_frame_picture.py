"""A character at the worst frame of a check: as Blender shows it, and its heat map in an engine."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.profile import Profile
from ...core.text.errors import SkinscopeError
from ...drawing.displays import find_display
from ...scene.identification import identity
from ...scene.objects.deformed_meshes import deformed_meshes
from ...scene.objects.modifier_stack import armature_objects
from ...scene.staging.clip_staging import Scanned
from ..check.check_settings import CheckSettings
from ..check.report import FileReport
from ..check.scan import SceneScan
from ..check.scene_playing import playbacks, with_ranges_where_still
from ..frame.mesh_measurement import scene_unit
from .annotations import Annotations
from .camera import Margins, three_quarter_camera
from .picture import CharacterPicture, PosedMesh, framed_points, heat_scale_for, posed_meshes

SIZE = (320, 400)
"""Of each of the two, in pixels."""

EDGE = 12
MARGINS = Margins(left=0.03, right=0.25, bottom=0.04, top=0.04)
"""Beside the character is the legend."""

HEAT = find_display("deviation")


def worst_frame_picture(
    scene: bpy.types.Scene, report: FileReport, settings: CheckSettings, profiles: Sequence[Profile]
) -> NDArray[np.uint8] | None:
    """Draw the character of the worst mesh, (height, width, 4), sRGB, the top row first; None if nothing was
    measured. For the scene that the report is about, whose GPU has been started. Plays it.

    Raises:
        SkinscopeError: it can't be skinned or drawn.
    """
    worst = report.worst_mesh
    if worst is None:
        return None
    profile = next(one for one in profiles if one.id == worst.profile)
    playback = _playback(scene, worst.worst.clip, settings.clips)
    if playback is None:
        return None
    armatures = set(worst.armatures)
    meshes = [
        one
        for one in deformed_meshes(scene)
        if identity(one) == worst.object or armatures & {identity(each) for each in armature_objects(one)}
    ]
    with SceneScan(scene, meshes, "gpu", (profile,), as_rendered=settings.as_rendered) as scan:
        posed = posed_meshes(scan, playback, worst.worst.frame)
        return _drawn(scene, posed)


def _drawn(scene: bpy.types.Scene, posed: Sequence[PosedMesh]) -> NDArray[np.uint8]:
    unit = scene_unit(bpy.context.evaluated_depsgraph_get())
    heat_scale = heat_scale_for(posed, unit)
    points = framed_points(posed)
    if not np.isfinite(points).all():
        raise SkinscopeError("It has vertices that are no numbers.")
    # What hides a character in its scene would hide it here.
    shown = {one.name for one in posed}
    hidden = [one for one in scene.objects if one.type == "MESH" and identity(one) not in shown]
    for one in hidden:
        one.hide_viewport = True
    bpy.context.view_layer.update()
    picture = CharacterPicture(scene, SIZE, three_quarter_camera(points, SIZE, MARGINS))
    try:
        panels = [picture.blender(), picture.skinned(posed, HEAT.name, heat_scale)]
    finally:
        picture.free()
    drawn = np.concatenate(panels, axis=1)
    with Annotations(drawn.shape[1], drawn.shape[0]) as annotations:
        annotations.legend(HEAT, heat_scale, unit, (drawn.shape[1] - EDGE, drawn.shape[0] - EDGE), 0.8)
        return annotations.over(drawn)


def _playback(scene: bpy.types.Scene, clip: str, clips: tuple[str, ...] | None) -> Scanned | None:
    chosen = playbacks(scene, clips)
    if clips is None:
        chosen = with_ranges_where_still(scene, chosen)
    return next((one for one in chosen if one.name == clip), None)
