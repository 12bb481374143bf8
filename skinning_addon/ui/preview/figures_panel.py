"""The numbers behind the sentence: deviation, share of the surface, size on screen, and the frame's cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import bpy

from ...core.text.length import format_length
from ...core.text.message import Message
from ...core.text.screen_size import format_pixels
from ...viewport.character.figures import Figures
from ...viewport.character.mesh_in_layer import MeshInLayer
from ...viewport.choices.preferences import read_preferences
from ...viewport.choices.translation import translated
from ...viewport.overlay.sentences import length
from ..settings.properties import scene_settings, viewer
from ..widgets.focus import figures_of, hidden_in, mesh_in_layer_of, preview_in_focus
from ..widgets.sidebar import SidebarPanel
from ..widgets.table import draw_table
from .technique_panel import technique_figures

PERCENT = 99

STAGE_NAMES = {
    "read": Message("Read"),
    "palette": Message("Make Palette"),
    "upload": Message("Upload"),
    "draw": Message("Draw"),
}
"""What the CPU spends its time on, see `viewport.character.stage_times`."""


class SKINSCOPE_PT_figure_details(SidebarPanel, bpy.types.Panel):
    """The deviation in numbers, its size on screen, and the time a frame takes"""

    bl_label = "Figures"
    bl_parent_id = "SKINSCOPE_PT_figures"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        preview = preview_in_focus(context)
        live = mesh_in_layer_of(preview, context) if preview else None
        # Measurements from before this view hid the mesh are outdated.
        shown = preview is not None and preview.uid not in hidden_in(context)
        figures = figures_of(preview, context) if preview is not None and shown else None
        draw_table(layout, _distances(context.scene, figures))
        _draw_viewer(layout, context.scene)
        draw_table(layout, _sizes(live))
        if read_preferences().show_developer and live is not None:
            draw_table(layout, technique_figures(live))
            draw_table(layout, _times(live))


def _distances(scene: bpy.types.Scene, figures: Figures | None) -> Iterable[tuple[Message, str]]:
    """Yield the same rows whether or not they are known, so that what is below stays in place."""
    threshold = scene_settings(scene).threshold
    deviation = figures.deviation if figures is not None else None
    if figures is None or deviation is None:
        metres = threshold * scene.unit_settings.scale_length
        yield Message("Max"), ""
        yield Message("RMS"), ""
        yield Message("{percent}% Within", percent=PERCENT), ""
        yield Message("Above {distance}", distance=format_length(metres)), ""
        yield Message("Worst Vertex"), ""
        yield Message("Its Bone"), ""
        return
    screen = viewer(scene)

    def both(distance: float) -> str:
        return (
            f"{translated(length(deviation, distance))}, {translated(format_pixels(screen.pixels(distance)))}"
        )

    yield Message("Max"), both(deviation.max)
    yield Message("RMS"), both(deviation.rms)
    yield Message("{percent}% Within", percent=PERCENT), both(deviation.percentile(PERCENT))
    share = 100 * deviation.area_above(threshold)
    above = Message("Above {distance}", distance=length(deviation, threshold))
    yield above, Message("{percent:.3g}% of surface", percent=share)
    yield Message("Worst Vertex"), f"{deviation.worst_vertex}"
    yield Message("Its Bone"), figures.bone


def _draw_viewer(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Show, and let people choose, the camera the pixels are for."""
    settings = scene_settings(scene)
    box = layout.column(align=True)
    distance = format_length(settings.viewer_distance * scene.unit_settings.scale_length)
    heading = translated(Message("Pixels seen from {distance}:", distance=distance))
    box.label(text=heading, icon="CAMERA_DATA", translate=False)
    for name in ("viewer_distance", "viewer_angle", "viewer_rows"):
        box.prop(settings, name)


def _sizes(live: MeshInLayer | None) -> Iterable[tuple[Message, str]]:
    yield Message("Vertices"), "" if live is None else f"{live.binding.mesh.vertex_count:,}"
    yield Message("Joints"), "" if live is None else f"{live.binding.joint_count:,}"


def _times(live: MeshInLayer) -> Iterable[tuple[Message, str]]:
    for stage, name in STAGE_NAMES.items():
        milliseconds = live.times.milliseconds(stage)
        if milliseconds is not None:
            yield name, f"{milliseconds:.2f} ms"
