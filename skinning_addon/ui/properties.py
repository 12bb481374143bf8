"""The settings that are saved with a scene."""

from __future__ import annotations

from dataclasses import replace

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, PointerProperty

from ..drawing.displays import DISPLAYS, WIREFRAME, DisplaySettings
from ..drawing.heat_scale import HeatScale
from ..viewport.redraw import redraw_views
from ..viewport.settings import DEFAULT_DISPLAY, PreviewSettings

SETTINGS = "skinscope"
"""The attribute of a scene that holds them."""

FAIL_FROM = HeatScale().thresholds[2]
"""Metres, for a figure of 1.8 m; the scale's other thresholds keep their proportion to this one."""

BASE_COLOR = (0.38, 0.57, 0.74)
"""Linear Rec.709; a blue that nobody takes for Blender's own grey."""

EDGE_COLOR = (0.35, 0.6, 0.85, 1.0)
"""Of edges that stand alone, before the dark background."""

DISPLAY_ICONS = {"shaded": "SHADING_SOLID", "deviation": "COLOR", "wireframe": "SHADING_WIRE"}

AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


# Apart from the annotations that use them: Python 3.11 can't evaluate a comprehension in one.
DISPLAY_ITEMS = [
    (one.name.upper(), one.label, one.description, DISPLAY_ICONS.get(one.name, "NONE"), number)
    for number, one in enumerate(DISPLAYS)
]
AXIS_ITEMS = [(name, name, f"Along the world's {name} axis") for name in AXES]


def _redraw(_settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    redraw_views()


class SKINSCOPE_PG_settings(bpy.types.PropertyGroup):
    """How previews are shown in the 3D views of one scene."""

    display: EnumProperty(
        name="Display",
        description="What is drawn on the skinned mesh",
        items=DISPLAY_ITEMS,
        default=DEFAULT_DISPLAY.upper(),
        update=_redraw,
    )
    wireframe: BoolProperty(
        name="Wireframe",
        description="Draw the edges of the mesh over the display",
        default=False,
        update=_redraw,
    )
    placement: EnumProperty(
        name="Placement",
        description="Where the skinned mesh is drawn",
        items=[
            ("IN_PLACE", "In Place", "Over Blender's own mesh"),
            ("ASIDE", "Aside", "Beside Blender's own mesh, so that both can be compared"),
        ],
        default="IN_PLACE",
        update=_redraw,
    )
    axis: EnumProperty(
        name="Axis",
        description="World axis along which the skinned mesh is moved aside",
        items=AXIS_ITEMS,
        default="X",
        update=_redraw,
    )
    distance: FloatProperty(
        name="Distance",
        description="How far the skinned mesh is moved aside; negative distances move it the other way",
        subtype="DISTANCE",
        unit="LENGTH",
        default=1.0,
        soft_min=-10.0,
        soft_max=10.0,
        step=10,
        update=_redraw,
    )
    threshold: FloatProperty(
        name="Threshold",
        description=(
            "Deviation that is too much. The heat map's other steps follow: invisible up to a fiftieth of it, good up to "
            "a fifth, and its end at twice as much. 5 mm suit a figure of 1.8 m"
        ),
        subtype="DISTANCE",
        unit="LENGTH",
        default=FAIL_FROM,
        min=1e-6,
        soft_max=1.0,
        step=0.1,
        precision=4,
        update=_redraw,
    )
    show_figures: BoolProperty(
        name="Figures in 3D View",
        description="Write the deviation and the heat map's legend into the 3D view",
        default=True,
        update=_redraw,
    )


def scene_settings(scene: bpy.types.Scene) -> SKINSCOPE_PG_settings:
    """Return the settings of a scene."""
    return getattr(scene, SETTINGS)


def preview_settings(scene: bpy.types.Scene) -> PreviewSettings:
    """Return a scene's settings as the draw handlers need them."""
    settings = scene_settings(scene)
    aside = settings.distance if settings.placement == "ASIDE" else 0.0
    x, y, z = AXES[settings.axis]
    display = settings.display.lower()
    look = DisplaySettings(
        base_color=BASE_COLOR,
        wireframe=settings.wireframe,
        heat_scale=HeatScale().scaled(settings.threshold / FAIL_FROM),
    )
    return PreviewSettings(
        display=display,
        drawing=replace(look, wire_color=EDGE_COLOR) if display == WIREFRAME else look,
        offset=(x * aside, y * aside, z * aside),
        show_figures=settings.show_figures,
    )


def add_scene_settings() -> None:
    """Give every scene its settings."""
    setattr(bpy.types.Scene, SETTINGS, PointerProperty(type=SKINSCOPE_PG_settings))


def remove_scene_settings() -> None:
    """Undo `add_scene_settings`; what is saved in files stays there."""
    delattr(bpy.types.Scene, SETTINGS)
