"""The settings that are saved with a scene."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ...core.profiles.aspects import influence_limit
from ...core.profiles.profile import Profile
from ...core.text.errors import ProfileError
from ...core.text.screen_size import Screen
from ...drawing.display_settings import USUAL_LIMIT, DisplaySettings
from ...drawing.displays import DISPLAYS, WIREFRAME
from ...viewport.cached.choices import CachedChoices
from ...viewport.choices.preferences import FACTORY, Preferences, read_preferences
from ...viewport.choices.profile_library import profile_shown
from ...viewport.choices.settings import BlenderMesh, PreviewSettings, hides_blenders_mesh
from ...viewport.choices.stored_values import StoredValues
from ...viewport.redraw import redraw_timelines, redraw_views
from ...viewport.session import current_session
from .crowd_settings import SKINSCOPE_PG_crowd
from .export_check_settings import SKINSCOPE_PG_export_check
from .lengths import DEVIATION_STEP
from .matrix_settings import SKINSCOPE_PG_matrices
from .profile_settings import SKINSCOPE_PG_profiles, shown_alone, told_profile
from .space_settings import SKINSCOPE_PG_spaces, step_of
from .technique_settings import SKINSCOPE_PG_technique, choice_of

SETTINGS = "skinscope"
"""The attribute of a scene that holds them."""

EDGE_COLOR = (0.35, 0.6, 0.85, 1.0)
"""For edges alone, against the dark background."""

DISPLAY_ICONS = {"shaded": "SHADING_SOLID", "deviation": "COLOR", "wireframe": "SHADING_WIRE"}

VIEWER = Screen()

AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


# Apart from the annotations that use them: Python 3.11 can't evaluate a comprehension in one.
DISPLAY_ITEMS = [
    (one.name.upper(), one.label, one.description, DISPLAY_ICONS.get(one.name, "NONE"), number)
    for number, one in enumerate(DISPLAYS)
]
CACHED_DISPLAY_ITEMS = [one for one in DISPLAY_ITEMS if one[0] in {"BASE_COLOR", "SHADED", "WIREFRAME"}]
PLACEMENT_ITEMS = [
    ("IN_PLACE", "In Place", "Over Blender's own mesh"),
    ("ASIDE", "Aside", "Beside Blender's own mesh, to compare both"),
    ("SPLIT", "Split", "On the right of a draggable line, with Blender's result on the left"),
]
BLENDER_MESH_ITEMS = [
    ("SHOWN", "Shown", "Drawn as usual"),
    ("GHOST", "Ghost", "Translucent"),
    ("HIDDEN", "Hidden", "Not drawn"),
]
BESIDE = "VIEW"
AXIS_ITEMS = [
    (BESIDE, "View", "Across each view, on the side where there is room"),
    *((name, name, f"Along the world's {name} axis") for name in AXES),
]


def _redraw(_settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    redraw_views()


def _note(_settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    current_session().on_change()


def _compare(_settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    current_session().update_meshes()


def _cache(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    cached = current_session().cached
    if getattr(settings, "cached_playback", False):
        cached.refresh_soon()
    else:
        cached.stop()
    redraw_views()
    redraw_timelines()


class SKINSCOPE_PG_previewed_mesh(bpy.types.PropertyGroup):
    """A mesh object that was previewed when the file was saved; its name is the group's own."""

    library: StringProperty(name="Library", description="Name of the library it is linked from, if it is")


class SKINSCOPE_PG_settings(bpy.types.PropertyGroup):
    """How previews are shown in the 3D views of one scene."""

    display: EnumProperty(
        name="Display",
        description="What to draw on the previewed mesh",
        items=DISPLAY_ITEMS,
        default=FACTORY.display,
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
        description="Where to draw the previewed mesh",
        items=PLACEMENT_ITEMS,
        default=FACTORY.placement,
        update=_compare,
    )
    split: FloatProperty(
        name="Line",
        description="Position of the split line, from the left to the right of the view",
        subtype="FACTOR",
        default=0.5,
        min=0.0,
        max=1.0,
        update=_redraw,
    )
    blender_mesh: EnumProperty(
        name="Blender's Mesh",
        description="How to show Blender's own result for previewed meshes; the objects are not changed",
        items=BLENDER_MESH_ITEMS,
        default="SHOWN",
        update=_compare,
    )
    axis: EnumProperty(
        name="Axis",
        description="Direction in which to move the previewed mesh aside",
        items=AXIS_ITEMS,
        default=BESIDE,
        update=_redraw,
    )
    distance: FloatProperty(
        name="Distance",
        description="Distance to move the previewed mesh aside; negative values move it the other way",
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
            "Deviation that is too much; the other steps of the heat map keep their proportions from the "
            "preferences. 5 mm suits a character 1.8 m tall"
        ),
        subtype="DISTANCE",
        unit="LENGTH",
        default=FACTORY.fail_from,
        min=1e-6,
        soft_max=1.0,
        step=DEVIATION_STEP,
        precision=4,
        update=_redraw,
    )
    influence_limit: IntProperty(
        name="Influences",
        description=(
            "Influences that a vertex may keep; the weight of all others is dropped. Engine profiles have "
            "their own limit"
        ),
        default=USUAL_LIMIT,
        min=1,
        max=16,
        update=_redraw,
    )
    show_previews: BoolProperty(
        name="Previews",
        description="Show previews in the 3D views of this scene; hidden previews keep running",
        default=True,
        update=_compare,
    )
    show_figures: BoolProperty(
        name="Figures in 3D View",
        description="Show the deviation and the heat map's legend in the 3D view",
        default=True,
        update=_redraw,
    )
    cached_playback: BoolProperty(
        name="Cached Playback",
        description=(
            "Remember characters' frames as Blender plays; once all are known, play them from memory, without "
            "evaluating their rigs"
        ),
        default=False,
        update=_cache,
    )
    cached_selected_only: BoolProperty(
        name="Selected Only",
        description=(
            "Only play characters from memory of which the rig or a mesh is selected when playing starts"
        ),
        default=False,
        update=_cache,
    )
    cached_scrubbing: BoolProperty(
        name="Fast Scrubbing",
        description=(
            "Show characters from memory while you drag in the timeline, too. They have no bones meanwhile; "
            "beginning and ending take a moment"
        ),
        default=False,
    )
    cached_display: EnumProperty(
        name="Display",
        description="What to draw on characters that are played from memory",
        items=CACHED_DISPLAY_ITEMS,
        default="BASE_COLOR",
        update=_redraw,
    )
    start_with_file: BoolProperty(
        name="Start with File",
        description="Save which meshes are previewed, and start their previews when the file is opened",
        default=FACTORY.start_with_file,
        update=_note,
    )
    previewed: CollectionProperty(
        name="Previewed Meshes",
        description="Meshes that were previewed when the file was saved",
        type=SKINSCOPE_PG_previewed_mesh,
    )
    viewer_distance: FloatProperty(
        name="Distance",
        description="Camera distance used for pixel deviations",
        subtype="DISTANCE",
        unit="LENGTH",
        default=VIEWER.distance,
        min=1e-6,
        soft_max=100.0,
        step=10,
    )
    viewer_angle: FloatProperty(
        name="Field of View",
        description="Vertical field of view of the camera used for pixel deviations",
        subtype="ANGLE",
        unit="ROTATION",
        default=VIEWER.field_of_view,
        min=0.01,
        max=3.0,
    )
    viewer_rows: IntProperty(
        name="Resolution Y",
        description="Vertical resolution of the screen used for pixel deviations",
        subtype="PIXEL",
        default=VIEWER.rows,
        min=1,
        soft_min=480,
        soft_max=4320,
    )
    matrices: PointerProperty(
        name="Matrices",
        description="How to write the matrices of the active bone",
        type=SKINSCOPE_PG_matrices,
    )
    spaces: PointerProperty(
        name="Spaces",
        description="Where to stop skinning, to look at it step by step",
        type=SKINSCOPE_PG_spaces,
    )
    technique: PointerProperty(
        name="Technique",
        description="How to skin and draw meshes",
        type=SKINSCOPE_PG_technique,
    )
    profiles: PointerProperty(
        name="Profiles",
        description="Engines to check the scene for",
        type=SKINSCOPE_PG_profiles,
    )
    crowd: PointerProperty(
        name="Crowd",
        description="Many of a character that walk about",
        type=SKINSCOPE_PG_crowd,
    )
    export_check: PointerProperty(
        name="Export Check",
        description="Which export to check, and how",
        type=SKINSCOPE_PG_export_check,
    )


def scene_settings(scene: bpy.types.Scene) -> SKINSCOPE_PG_settings:
    """Return the settings of a scene."""
    return getattr(scene, SETTINGS)


_known: dict[int, tuple[tuple[Any, ...], PreviewSettings]] = {}
"""By the scene's session_uid: what its settings were made of, and the settings."""


def preview_settings(scene: bpy.types.Scene) -> PreviewSettings:
    """Return a scene's settings as the draw handlers need them.

    As long as nothing that they depend on changes, it is the same object: handlers, panels and gizmos ask
    twenty times in a redraw.
    """
    settings, preferences = scene_settings(scene), read_preferences()
    told, alone = told_profile(settings.profiles, settings.profiles.profile), shown_alone(scene)
    made_of = (_values_of(type(settings))(settings), preferences, told, alone)
    known = _known.get(scene.session_uid)
    if known is None or known[0] != made_of:
        known = made_of, _made(settings, preferences, told, alone)
        _known[scene.session_uid] = known
    return known[1]


def cached_choices(scene: bpy.types.Scene) -> CachedChoices:
    """Return what a scene asks of Cached Playback."""
    settings = scene_settings(scene)
    return CachedChoices(
        settings.cached_playback,
        settings.cached_display.lower(),
        settings.cached_selected_only,
        settings.cached_scrubbing,
    )


def hides_mesh_in(scene: bpy.types.Scene) -> bool:
    """Read `PreviewSettings.hides_blenders_mesh` alone."""
    own = scene_settings(scene)
    mesh = BlenderMesh[own.blender_mesh]
    return hides_blenders_mesh(mesh, shown=own.show_previews, is_split=_is_split(own))


def _is_split(settings: SKINSCOPE_PG_settings) -> bool:
    return settings.placement == "SPLIT"


@lru_cache(maxsize=1)
def _values_of(registered: type[SKINSCOPE_PG_settings]) -> StoredValues:
    # The told profile stands for the engine and the export settings.
    others = ("matrices", "export_check", "crowd", "profile", "second", "exporter")
    return StoredValues(registered.bl_rna, without=others)


def _made(
    settings: SKINSCOPE_PG_settings, preferences: Preferences, told: Profile | ProfileError, alone: str
) -> PreviewSettings:
    if not settings.show_previews:
        return PreviewSettings(shown=False)
    is_aside = settings.placement == "ASIDE"
    beside = is_aside and settings.axis == BESIDE
    aside = settings.distance if is_aside and not beside else 0.0
    x, y, z = AXES.get(settings.axis, (0.0, 0.0, 0.0))
    display = settings.display.lower()
    scale = preferences.heat_scale
    profile = profile_shown(told, alone)
    look = DisplaySettings(
        base_color=preferences.base_color,
        wireframe=settings.wireframe,
        influence_limit=settings.influence_limit if profile.is_blender else influence_limit(profile),
        heat_scale=scale.scaled(settings.threshold / scale.threshold),
    )
    return PreviewSettings(
        display=display,
        drawing=replace(look, wire_color=EDGE_COLOR) if display == WIREFRAME else look,
        offset=(x * aside, y * aside, z * aside),
        beside=beside,
        show_figures=settings.show_figures,
        same_color=preferences.same_color,
        off_color=preferences.off_color,
        step=step_of(settings.spaces),
        blender_mesh=BlenderMesh[settings.blender_mesh],
        split=settings.split if _is_split(settings) else None,
        technique=choice_of(settings.technique),
        profile=profile,
        engine=profile_shown(told, ""),
        alone=alone,
    )


def viewer(scene: bpy.types.Scene) -> Screen:
    """Return the camera and screen for which a scene's deviations are given in pixels; distance in scene
    units.
    """
    settings = scene_settings(scene)
    return Screen(settings.viewer_distance, settings.viewer_angle, settings.viewer_rows)


def add_scene_settings() -> None:
    """Give every scene its settings."""
    setattr(bpy.types.Scene, SETTINGS, PointerProperty(type=SKINSCOPE_PG_settings))


def remove_scene_settings() -> None:
    """Undo `add_scene_settings`; what is saved in files stays there."""
    delattr(bpy.types.Scene, SETTINGS)
    _known.clear()
