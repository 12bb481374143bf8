"""The pages that Blender's Online Manual entry, in the context menu of every button, opens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import bpy

DOCS = Path(__file__).resolve().parents[2] / "docs"
"""Shipped beside the package, so that it matches this version and works offline."""

SITE = DOCS / "site"
"""The same pages as a browser shows them, in an extension that `./run build` has built."""

PAGES = (
    ("bpy.ops.skinscope.preview_*", "user-guide.md#starting-and-stopping"),
    ("bpy.ops.skinscope.display_preset_*", "user-guide.md#presets"),
    ("bpy.ops.skinscope.select_deviating*", "user-guide.md#figures"),
    ("bpy.ops.skinscope.frame_worst_vertex*", "user-guide.md#figures"),
    ("bpy.ops.skinscope.copy_matrices*", "user-guide.md#matrices"),
    ("bpy.ops.skinscope.inspect*", "user-guide.md#inspecting-a-vertex"),
    ("bpy.types.skinscope_pg_spaces.*", "user-guide.md#step-through-the-spaces"),
    ("bpy.types.skinscope_pg_settings.viewer_*", "user-guide.md#figures"),
    ("bpy.types.skinscope_pg_matrices.*", "user-guide.md#matrices"),
    ("bpy.types.skinscope_pg_settings.show_previews*", "user-guide.md#starting-and-stopping"),
    ("bpy.types.skinscope_pg_settings.start_with_file*", "user-guide.md#starting-and-stopping"),
    ("bpy.types.skinscope_pg_settings.previewed*", "user-guide.md#starting-and-stopping"),
    ("bpy.types.skinscope_pg_previewed_mesh.*", "user-guide.md#starting-and-stopping"),
    ("bpy.types.skinscope_pg_settings.display*", "user-guide.md#displays"),
    ("bpy.types.skinscope_pg_settings.wireframe*", "user-guide.md#displays"),
    ("bpy.types.skinscope_pg_settings.influence_limit*", "user-guide.md#displays"),
    ("bpy.types.skinscope_pg_settings.threshold*", "user-guide.md#the-heat-map"),
    ("bpy.types.skinscope_pg_settings.show_figures*", "user-guide.md#figures"),
    ("bpy.types.skinscope_pg_settings.placement*", "user-guide.md#comparing"),
    ("bpy.types.skinscope_pg_settings.split*", "user-guide.md#comparing"),
    ("bpy.types.skinscope_pg_settings.blender_mesh*", "user-guide.md#comparing"),
    ("bpy.ops.skinscope.split_move*", "user-guide.md#comparing"),
    ("bpy.ops.skinscope.flicker*", "user-guide.md#comparing"),
    ("bpy.types.skinscope_pg_settings.axis*", "user-guide.md#comparing"),
    ("bpy.types.skinscope_pg_settings.distance*", "user-guide.md#comparing"),
    ("bpy.ops.skinscope.cached_playback_*", "user-guide.md#cached-playback"),
    ("bpy.types.skinscope_pg_settings.cached_*", "user-guide.md#cached-playback"),
    ("bpy.ops.skinscope.crowd_*", "user-guide.md#a-crowd"),
    ("bpy.ops.skinscope.bone_texture*", "user-guide.md#a-crowd"),
    ("bpy.types.skinscope_pg_crowd.*", "user-guide.md#a-crowd"),
    ("bpy.types.skinscope_pg_crowd_variant.*", "user-guide.md#a-crowd"),
    ("bpy.types.skinscope_pg_settings.crowd*", "user-guide.md#a-crowd"),
    ("bpy.types.skinscope_pg_track*", "user-guide.md#tracks"),
    ("bpy.types.skinscope_pg_script.*", "user-guide.md#tracks"),
    ("bpy.types.skinscope_pg_masked_bone.*", "user-guide.md#tracks"),
    ("bpy.ops.skinscope.track_*", "user-guide.md#tracks"),
    ("bpy.ops.skinscope.script_*", "user-guide.md#tracks"),
    ("bpy.ops.skinscope.verdict_*", "user-guide.md#engine-profiles"),
    ("bpy.ops.skinscope.profile_*", "user-guide.md#engine-profiles"),
    ("bpy.ops.skinscope.finding_suppress*", "user-guide.md#accepting-a-finding"),
    ("bpy.ops.skinscope.finding_count*", "user-guide.md#accepting-a-finding"),
    ("bpy.ops.skinscope.finding_*", "user-guide.md#engine-profiles"),
    ("bpy.ops.skinscope.fix_*", "user-guide.md#engine-profiles"),
    ("bpy.ops.skinscope.game_ready_*", "user-guide.md#game-ready-copy"),
    ("bpy.ops.skinscope.export_*", "user-guide.md#checking-your-export"),
    ("bpy.ops.skinscope.tell", "user-guide.md#checking-your-export"),
    ("bpy.types.skinscope_pg_export_check.*", "user-guide.md#checking-your-export"),
    ("bpy.types.skinscope_ap_preferences.show_developer*", "user-guide.md#developer-panels"),
    ("bpy.types.skinscope_ap_preferences.*", "user-guide.md#preferences"),
    ("bpy.ops.skinscope.clip*", "user-guide.md#animation"),
    ("bpy.ops.skinscope.mixer_*", "user-guide.md#animation"),
    ("bpy.types.skinscope_pg_animation.*", "user-guide.md#animation"),
    ("bpy.types.skinscope_pg_clip*", "user-guide.md#animation"),
    ("bpy.types.skinscope_pg_listed_clip.*", "user-guide.md#animation"),
    ("bpy.ops.skinscope.exporter_*", "user-guide.md#engine-profiles"),
    ("bpy.types.skinscope_pg_profiles.show_historic*", "user-guide.md#developer-panels"),
    ("bpy.types.skinscope_pg_profiles.*", "user-guide.md#engine-profiles"),
    ("bpy.types.skinscope_pg_exporter.*", "user-guide.md#engine-profiles"),
    ("bpy.types.skinscope_pg_finding*", "user-guide.md#engine-profiles"),
    ("bpy.types.skinscope_pg_fixes.*", "user-guide.md#engine-profiles"),
    ("bpy.types.skinscope_pg_technique.*", "user-guide.md#technique"),
    ("bpy.types.skinscope_*", "user-guide.md"),
    ("bpy.ops.skinscope.*", "user-guide.md"),
)
"""Blender takes the first pattern that matches; it asks in lower case."""


_SAME_IN_BLENDER = "ko/tutorial.md#blender에서-보기"
_HIERARCHY = "ko/tutorial.md#1-뼈대-계층-to_parent"
_COMBINATIONS = "ko/tutorial.md#뼈-조합-팔레트가-작을-때"
_CONTROLLER = "ko/tutorial.md#애니메이션-컨트롤러-한-클립에서-다음-클립으로"

KOREAN_PAGES = (
    ("bpy.ops.skinscope.inspect*", _SAME_IN_BLENDER),
    ("bpy.types.skinscope_pg_spaces.*", _SAME_IN_BLENDER),
    ("bpy.ops.skinscope.copy_matrices*", _HIERARCHY),
    ("bpy.types.skinscope_pg_matrices.*", _HIERARCHY),
    ("bpy.types.skinscope_pg_technique*", _COMBINATIONS),
    ("bpy.ops.skinscope.clips_*", _CONTROLLER),
    ("bpy.ops.skinscope.mixer_*", _CONTROLLER),
    ("bpy.types.skinscope_pg_animation*", _CONTROLLER),
    ("bpy.ops.skinscope.track_*", _CONTROLLER),
    ("bpy.ops.skinscope.script_*", _CONTROLLER),
    ("bpy.types.skinscope_pg_track*", _CONTROLLER),
    ("bpy.types.skinscope_pg_script.*", _CONTROLLER),
    ("bpy.types.skinscope_pg_settings.influence_limit*", "ko/concepts.md#메시-가중치-드로우-콜"),
)
"""Pages that exist in Korean. All others are only in English."""


def interface_is_korean() -> bool:
    """Whether Blender's interface is currently in Korean."""
    return bpy.app.translations.locale.startswith("ko")


def address_of(page: str) -> str:
    """Return the address of a page of the documentation, such as 'user-guide.md#figures'."""
    folder, read = _shown()
    return folder + read(page)


def _shown() -> tuple[str, Callable[[str], str]]:
    """Return the address of the folder that pages are opened from, and what turns one's name into its there."""
    if (SITE / "index.html").exists():
        return f"{SITE.as_uri()}/", lambda page: page.replace(".md", ".html", 1)
    return f"{DOCS.as_uri()}/", str


def _pages() -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the pages in the interface's language: Blender asks each time."""
    folder, read = _shown()
    # Not every browser receives an address with non-ASCII letters intact.
    korean = KOREAN_PAGES if interface_is_korean() else ()
    return folder, tuple((pattern, quote(read(page), safe="/#")) for pattern, page in (*korean, *PAGES))


def add_manual_map() -> None:
    """Have Blender ask us for pages about our own operators and settings."""
    bpy.utils.register_manual_map(_pages)


def remove_manual_map() -> None:
    """Undo `add_manual_map`."""
    bpy.utils.unregister_manual_map(_pages)
