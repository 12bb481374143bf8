"""Runs inside Blender: a preview's latest figures."""

import bpy

from skinning_addon.viewport.layers import layer_key
from skinning_addon.viewport.session import current_session

session = current_session()


def figures(number: int = 0) -> dict:
    """Return the latest figures of the preview with this number, and the frame they were measured at."""
    preview = session.previews[number]
    live = preview.mesh_in_layer(layer_key(bpy.context.scene, bpy.context.view_layer))
    measured = live.figures if live else None
    deviation = measured.deviation if measured else None
    return {
        "frame": measured.frame if measured else None,
        "settled": not preview.wanted_in
        and live is not None
        and live.figures_due is None
        and live.shadow_due is None,
        "before": measured.before if measured else None,
        "relative": deviation.relative if deviation else None,
        "max": deviation.max if deviation else None,
    }
