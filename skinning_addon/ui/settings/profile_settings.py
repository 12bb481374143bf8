"""Settings for a scene's checks: which engines, over which frames; and the rows of the findings list."""

from __future__ import annotations

import zlib
from collections.abc import Hashable
from typing import cast

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ...core.profiles.profile import BLENDER, BLENDER_ID, Group, Profile
from ...core.profiles.weight_quantisation import WeightFormat
from ...core.text.errors import ProfileError
from ...core.text.message import Message
from ...scene.clips.clips import list_clips
from ...viewport.choices.profile_library import (
    all_profiles,
    profile_called,
    profile_exported_so,
    profiles_version,
)
from ...viewport.choices.translation import CONTEXT, language, translated
from ...viewport.session import current_session
from .copy_options import (
    clip_bones_property,
    copy_kind_property,
    fit_weights_property,
    helper_bones_property,
    most_drift_property,
    most_turn_property,
    tolerance_property,
)
from .exporter_settings import SKINSCOPE_PG_exporter, own_settings

FINDINGS = "skinscope_findings"
"""The attribute of the window manager that holds the rows of the list; their content is the session's."""

NO_PROFILE = "NONE"

MOTION_TOLD = (
    "Turn each control of the armature to both ends of its rotation limits, one at a time; without limits, "
    "60 degrees either way about X and Z, and 30 about Y"
)

SCANNED_ITEMS = [
    ("SCENE", "Scene", "The animation of the scene over its frame range"),
    ("CLIP", "Clip", "One action or NLA track, as the engine's file holds it"),
    (
        "CLIPS",
        "All Clips",
        "Every action and NLA track that moves the armatures, each as the engine's file holds it",
    ),
    (
        "MOTION",
        "Range of Motion",
        MOTION_TOLD,
    ),
]

Item = tuple[str, str, str, str, int]

_items: dict[tuple[bool, bool], list[Item]] = {}
"""Blender keeps no reference to the strings of items that a function returns."""

_listed_for: dict[tuple[bool, bool], tuple[int, Hashable]] = {}
"""The state of the profiles and of the language that the items were made for. Blender asks for them whenever
the chosen one is read, several times a frame: making them takes milliseconds.
"""

NO_SECOND = Message("Don't compare with a second engine")


EXACT_NUMBERS = 1 << 24
"""Menus hand the chosen item's number on as a 32-bit float, which is exact below this."""


def _number(name: str) -> int:
    # Blender saves the number: it must not depend on which other profiles exist.
    return 0 if name == BLENDER_ID else 2 + zlib.crc32(name.encode()) % (EXACT_NUMBERS - 2)


def _profile_items(settings: bpy.types.PropertyGroup, _context: bpy.types.Context | None) -> list[Item]:
    return _listed(historic=settings.show_historic, with_none=False)  # pyright: ignore[reportAttributeAccessIssue]


def _second_items(settings: bpy.types.PropertyGroup, _context: bpy.types.Context | None) -> list[Item]:
    return _listed(historic=settings.show_historic, with_none=True)  # pyright: ignore[reportAttributeAccessIssue]


def _listed(*, historic: bool, with_none: bool) -> list[Item]:
    profiles, which = all_profiles(), (historic, with_none)
    state = profiles_version(), language()
    if _listed_for.get(which) == state:
        return _items[which]
    items: list[Item] = [(NO_PROFILE, Message("None"), NO_SECOND, "NONE", 1)] if with_none else []
    for name, profile in profiles.items():
        if isinstance(profile, ProfileError):
            items.append((name, name, str(profile), "ERROR", _number(name)))
        elif with_none and profile.is_blender:
            continue
        elif historic or profile.group is not Group.HISTORIC:
            about = "; ".join(
                (*_weights_taken(profile), *_standing(profile), profile.version, *profile.sources)
            )
            items.append((name, profile.label, about, "NONE", _number(name)))
    kept = _items.setdefault(which, [])
    if kept != items:
        kept[:] = items
    _listed_for[which] = state
    return kept


BITS = {WeightFormat.UNORM16: 16, WeightFormat.UNORM8: 8}


def _weights_taken(profile: Profile) -> tuple[str, ...]:
    """Return what an engine stores of a vertex's weights, for its tooltip; nothing if it stores them all."""
    found: list[str] = []
    if profile.importer.influences is not None:
        most = Message("Takes up to {count} bones a vertex", count=profile.importer.influences)
        found.append(translated(most))
    if profile.weights.format in BITS:
        found.append(translated(Message("stores weights in {bits} bits", bits=BITS[profile.weights.format])))
    return tuple(found)


def _standing(profile: Profile) -> tuple[str, ...]:
    """Return what was verified of a profile, for its tooltip; nothing for Blender's own."""
    return () if profile.is_blender else (translated(profile.verified.standing).capitalize(),)


def _change_profile(settings: SKINSCOPE_PG_profiles, context: bpy.types.Context) -> None:
    settings.alone = ""
    fill_rows(context)
    current_session().follow_profile(cast("bpy.types.Scene", settings.id_data))


def _change_historic(settings: SKINSCOPE_PG_profiles, _context: bpy.types.Context) -> None:
    if not settings.profile:
        settings.profile = BLENDER_ID
    if not settings.second:
        settings.second = NO_PROFILE


def _search_clips(_settings: bpy.types.PropertyGroup, context: bpy.types.Context, _typed: str) -> list[str]:
    return [clip.name for clip in list_clips(context.scene)]


class SKINSCOPE_PG_finding(bpy.types.PropertyGroup):
    """A row of the list of findings; what it says is kept in the session."""

    number: IntProperty(name="Number", description="Index of the finding in its report")


class SKINSCOPE_PG_findings(bpy.types.PropertyGroup):
    """The list of findings."""

    rows: CollectionProperty(name="Findings", description="Findings of the check", type=SKINSCOPE_PG_finding)
    active: IntProperty(name="Active Finding", description="The finding that the buttons apply to")


class SKINSCOPE_PG_profiles(bpy.types.PropertyGroup):
    """Which engines a scene is checked for."""

    profile: EnumProperty(
        name="Engine",
        translation_context=CONTEXT,
        description="Engine to preview and check, including its importer and Blender's exporter",
        items=_profile_items,
        update=_change_profile,
    )
    second: EnumProperty(
        name="Compare With",
        translation_context=CONTEXT,
        description="Second engine to check at the same time",
        items=_second_items,
        default=1,
        update=_change_profile,
    )
    scanned: EnumProperty(
        name="Frames", description="What to play for the check", items=SCANNED_ITEMS, default="SCENE"
    )
    clip: StringProperty(
        name="Clip",
        description="Action or NLA track to play for the check",
        search=_search_clips,
    )
    exporter: PointerProperty(
        name="Export Settings",
        description="How you export, if not with the settings that the engine profile assumes",
        type=SKINSCOPE_PG_exporter,
    )
    alone: StringProperty(
        name="Alone",
        description="Rule of the single cause that previews show; empty for the whole profile",
        options={"HIDDEN"},
    )
    fit_weights: fit_weights_property()
    helper_bones: helper_bones_property()
    clip_bones: clip_bones_property()
    copy_kind: copy_kind_property()
    copy_tolerance: tolerance_property()
    most_drift: most_drift_property()
    most_turn: most_turn_property()
    show_historic: BoolProperty(
        name="Historic Profiles",
        description="Also list the historic samples that the method comes from",
        default=False,
        update=_change_historic,
    )


def profile_settings(scene: bpy.types.Scene) -> SKINSCOPE_PG_profiles:
    """Return a scene's settings for engine checks."""
    return scene.skinscope.profiles  # pyright: ignore[reportAttributeAccessIssue]


def shown_alone(scene: bpy.types.Scene) -> str:
    """Return the rule of the single cause that previews show; empty for the whole profile, as after loading."""
    chosen = scene.session_uid in current_session().checks.results.with_alone
    return profile_settings(scene).alone if chosen else ""


def told_profile(settings: SKINSCOPE_PG_profiles, name: str) -> Profile | ProfileError:
    """Return a profile by its id, for files that are exported as the scene's settings say."""
    return profile_exported_so(name, own_settings(settings.exporter))


def profile_in_focus(scene: bpy.types.Scene) -> Profile:
    """Return the chosen profile; Blender's own if that can't be read."""
    settings = profile_settings(scene)
    profile = told_profile(settings, settings.profile)
    return BLENDER if isinstance(profile, ProfileError) else profile


def finding_rows(context: bpy.types.Context) -> SKINSCOPE_PG_findings:
    """Return the rows of the list of findings."""
    return getattr(context.window_manager, FINDINGS)


def fill_rows(context: bpy.types.Context) -> None:
    """Have enough rows for any report, and choose the first finding.

    Undo may bring back another engine or scene at any time, and nothing may be written while drawing: so rows
    only have numbers, and the list hides those beyond the report that the panel is about.
    """
    rows = finding_rows(context)
    for number in range(len(rows.rows), current_session().checks.results.most_findings):
        rows.rows.add().number = number
    rows.active = 0


def fill_rows_after_undo(context: bpy.types.Context) -> None:
    """Choose the first finding if undo brought another profile back that has fewer."""
    rows, scene = finding_rows(context), context.scene
    report = current_session().checks.results.of(scene.session_uid, profile_settings(scene).profile)
    if report is not None and rows.active >= len(report.findings):
        rows.active = 0


def choose_finding(context: bpy.types.Context, number: int) -> None:
    """Make a finding the active one of the list."""
    finding_rows(context).active = number


def profile_problem(scene: bpy.types.Scene) -> str:
    """Say why the chosen profile can't be used; empty if it can."""
    profile = profile_called(profile_settings(scene).profile)
    return str(profile) if isinstance(profile, ProfileError) else ""


def add_finding_rows() -> None:
    """Give the window manager the list's rows."""
    setattr(bpy.types.WindowManager, FINDINGS, PointerProperty(type=SKINSCOPE_PG_findings))


def remove_finding_rows() -> None:
    """Undo `add_finding_rows`."""
    delattr(bpy.types.WindowManager, FINDINGS)
