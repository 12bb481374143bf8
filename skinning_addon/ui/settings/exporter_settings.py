"""The scene's own export settings, as the sidebar offers them: one property for each setting that a profile can
be told of, named, limited and explained by the same table.
"""

from __future__ import annotations

from typing import Any, cast

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from ...core.profiles.export_options import AnimationMode, NegativeFrames
from ...core.profiles.exporter_settings import SETTINGS, ExporterSetting, settings_of
from ...core.profiles.profile import Profile
from ...viewport.choices.translation import CONTEXT
from ...viewport.session import current_session

MODES = (
    (AnimationMode.ACTIONS, "Actions", "Each action: the active one and those on NLA tracks"),
    (AnimationMode.ACTIVE_ACTIONS, "Active Actions Merged", "The active actions, as one animation"),
    (AnimationMode.BROADCAST, "Broadcast Actions", "Every action, for every animated object"),
    (AnimationMode.NLA_TRACKS, "NLA Tracks", "Each NLA track"),
    (AnimationMode.SCENE, "Scene", "Whatever the scene plays, as one animation"),
)
"""Items of the glTF exporter's *Animation Mode*, in its order."""

NEGATIVE_FRAMES = (
    (NegativeFrames.SLIDE, "Slide", "The animation begins at frame 0 instead"),
    (NegativeFrames.CROP, "Crop", "They are left out"),
)
"""Items of its *Negative Frames*."""

_ITEMS = {"export_animation_mode": MODES, "export_negative_frame": NEGATIVE_FRAMES}


def _change(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    # Reports are of files that were exported otherwise.
    current_session().checks.results.mark_outdated()
    current_session().follow_profile(cast("bpy.types.Scene", settings.id_data))


class SKINSCOPE_PG_exporter(bpy.types.PropertyGroup):
    """How a user exports."""

    use_own: BoolProperty(
        name="My Export Settings",
        description="Predict files exported with these settings instead of those that the profile assumes",
        default=False,
        update=_change,
    )


def _property(setting: ExporterSetting) -> Any:
    told: dict[str, Any] = {
        "name": setting.label,
        "description": setting.effect,
        "translation_context": CONTEXT,
        "update": _change,
    }
    match setting.default:
        case bool() as default:
            return BoolProperty(default=default, **told)
        case int() as default:
            return IntProperty(default=default, min=1, soft_max=12, **told)
        case float() as default:
            return FloatProperty(default=default, min=0, max=100, soft_max=10, **told)
        case _:
            items = [(one.value, label, about) for one, label, about in _ITEMS[setting.name]]
            return EnumProperty(items=items, default=setting.default, **told)


# Blender reads the annotations when it registers the class.
SKINSCOPE_PG_exporter.__annotations__ |= {name: _property(one) for name, one in SETTINGS.items()}


def own_settings(settings: SKINSCOPE_PG_exporter) -> dict[str, object]:
    """Return the settings by name; empty if profiles are to assume their own."""
    return {name: getattr(settings, name) for name in SETTINGS} if settings.use_own else {}


def take(settings: SKINSCOPE_PG_exporter, values: dict[str, Any]) -> None:
    """Export with these values from now on; settings that are not among them stay."""
    for name, value in values.items():
        setattr(settings, name, value)
    settings.use_own = True


def has_settings(profile: Profile) -> bool:
    """Whether the profile's file comes from an exporter that has settings."""
    return bool(settings_of(profile))
