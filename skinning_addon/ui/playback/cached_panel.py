"""The panel of Cached Playback."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy

from ...core.text.message import Message
from ...viewport.cached.cached_playback import CachedPlayback, played_frames
from ...viewport.cached.choices import MEGABYTE
from ...viewport.choices.translation import translated
from ...viewport.session import current_session
from ..settings.properties import scene_settings
from ..widgets.sidebar import SidebarPanel
from ..widgets.wrapped_label import wrapped_label
from .background_recording import recording
from .cached_operators import (
    SKINSCOPE_OT_cached_playback_forget,
    SKINSCOPE_OT_cached_playback_record,
    SKINSCOPE_OT_cached_playback_stop_recording,
)

STATE_LINES = 2
"""Lines kept for how far the recording is, so that what is below stays in place."""

REASONS_SHOWN = 5

KILOBYTE = 1000

MILLISECONDS = 1000


class SKINSCOPE_PT_cached_playback(SidebarPanel, bpy.types.Panel):
    """Characters played from memory"""

    bl_label = "Cached Playback"
    bl_options: ClassVar = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(scene_settings(context.scene), "cached_playback", text="")

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        settings, cached = scene_settings(context.scene), current_session().cached
        column = layout.column()
        column.active = settings.cached_playback
        wrapped_label(column, context, state_of(cached, context), lines=STATE_LINES)
        if (costs := costs_of(cached)) is not None:
            wrapped_label(column, context, costs)
        if recording.is_running:
            draw_recording(column.row(align=True))
        else:
            column.operator(SKINSCOPE_OT_cached_playback_record.bl_idname, icon="REC")
        column.prop(settings, "cached_selected_only")
        column.prop(settings, "cached_scrubbing")
        row = column.row(align=True)
        row.prop(settings, "cached_display", text="")
        row.operator(SKINSCOPE_OT_cached_playback_forget.bl_idname, text="", icon="TRASH")
        if not settings.cached_playback:
            return
        if cached.error:
            wrapped_label(column, context, cached.error, "ERROR")
        for reason in reasons_of(cached)[:REASONS_SHOWN]:
            wrapped_label(column, context, reason, "INFO")


def draw_recording(row: bpy.types.UILayout) -> None:
    """Draw how far another Blender has recorded, and the button that stops it."""
    done, total = recording.progress
    told = Message("Recording: frame {done} of {total}", done=done, total=total)
    text = translated(told if done else Message("Recording: starting Blender"))
    row.progress(factor=done / max(total, 1), type="BAR", text=text)
    row.operator(SKINSCOPE_OT_cached_playback_stop_recording.bl_idname, text="", icon="X")


def draw_in_status_bar(header: Any, _context: bpy.types.Context) -> None:
    """Show in the status bar how far another Blender has recorded."""
    if recording.is_running:
        done, total = recording.progress
        share = done / max(total, 1)
        row = header.layout.row(align=True)
        row.label(text=translated(Message("Recording in the background")), icon="REC")
        row.progress(factor=share, type="BAR", text=f"{share:.0%}")
        row.operator(SKINSCOPE_OT_cached_playback_stop_recording.bl_idname, text="", icon="X")


def add_recording_status() -> None:
    """Have the status bar show recording."""
    bpy.types.STATUSBAR_HT_header.append(draw_in_status_bar)  # pyright: ignore[reportArgumentType]


def remove_recording_status() -> None:
    """Undo `add_recording_status`, and end a recording."""
    bpy.types.STATUSBAR_HT_header.remove(draw_in_status_bar)  # pyright: ignore[reportArgumentType]
    recording.stop()


def state_of(cached: CachedPlayback, context: bpy.types.Context) -> Message:
    """Say how much of the context's scene is known."""
    cache, scene = cached.cache, context.scene
    if not scene_settings(scene).cached_playback:
        return Message("Off: Blender evaluates every frame")
    if len(cached.shown) == 1:
        return Message("One character plays from memory; while it does, it has no bones")
    if cached.shown:
        return Message(
            "{count} characters play from memory; while they do, there are no bones", count=len(cached.shown)
        )
    if not cache.groups:
        return Message("No character can be played from memory")
    if not cached.chosen(scene, context.view_layer):
        return Message("Select a character's rig or mesh")
    frames = played_frames(scene)
    known = sum(frame in frames for frame in cached.known_frames(context))
    return Message(
        "{known} of {count} frames known, {megabytes:.1f} MB. Play, and the rest are recorded",
        known=known,
        count=len(frames),
        megabytes=cache.byte_count / MEGABYTE,
    )


def costs_of(cached: CachedPlayback) -> Message | None:
    """Say how long frames take that were played; None before any was."""
    costs = cached.costs
    if costs.blenders is None:
        return None
    blenders = costs.blenders * MILLISECONDS
    if costs.remembered is None:
        return Message("Blender takes {blenders:.1f} ms a frame", blenders=blenders)
    return Message(
        "Blender takes {blenders:.1f} ms a frame; from memory {ours:.2f} ms",
        blenders=blenders,
        ours=costs.remembered * MILLISECONDS,
    )


def reasons_of(cached: CachedPlayback) -> list[Message]:
    """List why characters stay Blender's, or take more memory."""
    found: list[Message] = []
    if cached.cache.is_full:
        found.append(Message("Memory is full; raise its limit in the preferences, or play fewer frames"))
    found += [
        Message(
            "Frames of '{name}' recorded in the background differ from what Blender shows; "
            "play to record them again",
            name=name,
        )
        for name in cached.cache.distrusted
    ]
    found += [Message("Stays Blender's: {reason}", reason=reason) for reason in cached.cache.kept]
    found += [
        Message("Stays Blender's: '{name}' is previewed", name=group.name)
        for group in cached.cache.groups
        if cached.is_previewed(group)
    ]
    found += [
        Message(
            "Kept as vertices, {kilobytes:,.0f} kB a frame: {reason}",
            kilobytes=mesh.bytes_a_frame / KILOBYTE,
            reason=mesh.reason,
        )
        for mesh in cached.cache.by_vertices
    ]
    return found
