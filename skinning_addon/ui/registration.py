"""Registers our classes and properties with Blender, in order."""

from __future__ import annotations

import bpy

from .clips.animation_operators import (
    SKINSCOPE_OT_clip_loop,
    SKINSCOPE_OT_clips_bake,
    SKINSCOPE_OT_clips_refresh,
    SKINSCOPE_OT_mixer_fade,
    SKINSCOPE_OT_mixer_play,
    SKINSCOPE_OT_mixer_stop,
)
from .clips.animation_panel import SKINSCOPE_PT_animation, SKINSCOPE_PT_baked_clip, SKINSCOPE_UL_clips
from .clips.clips_from_operator import SKINSCOPE_OT_clips_from_file
from .clips.mixer_player import add_save_handler, remove_save_handler
from .crowd.bone_texture_operator import SKINSCOPE_OT_bone_texture
from .crowd.control_operator import SKINSCOPE_OT_crowd_control
from .crowd.crowd_operators import (
    SKINSCOPE_OT_crowd_forget_steering,
    SKINSCOPE_OT_crowd_refresh,
    SKINSCOPE_OT_crowd_toggle,
)
from .crowd.crowd_panel import SKINSCOPE_PT_crowd
from .crowd.variant_operators import (
    SKINSCOPE_OT_crowd_variant_add,
    SKINSCOPE_OT_crowd_variant_mesh,
    SKINSCOPE_OT_crowd_variant_remove,
)
from .crowd.variants_panel import SKINSCOPE_PT_crowd_variants, SKINSCOPE_UL_crowd_variants
from .developer_panel import SKINSCOPE_PT_developer
from .engine.export_check_operator import SKINSCOPE_OT_export_check, SKINSCOPE_OT_export_jump
from .engine.export_check_panel import SKINSCOPE_PT_export_check, SKINSCOPE_PT_export_findings
from .engine.exporter_panel import (
    SKINSCOPE_OT_exporter_settings_take,
    SKINSCOPE_OT_finding_export,
    SKINSCOPE_PT_exporter,
)
from .engine.finding_operators import (
    SKINSCOPE_OT_finding_jump,
    SKINSCOPE_OT_finding_page,
    SKINSCOPE_OT_finding_select,
    SKINSCOPE_OT_finding_show,
    SKINSCOPE_OT_profile_jump,
)
from .engine.findings_panel import (
    SKINSCOPE_PT_profile_figures,
    SKINSCOPE_PT_profile_findings,
    SKINSCOPE_UL_findings,
)
from .engine.fix_operators import (
    SKINSCOPE_OT_fix_groups,
    SKINSCOPE_OT_fix_influences,
    SKINSCOPE_OT_fix_normalise,
    SKINSCOPE_OT_fix_scale,
    SKINSCOPE_OT_fix_stray,
)
from .engine.game_ready_operator import SKINSCOPE_OT_game_ready_copy
from .engine.game_ready_panel import SKINSCOPE_PT_game_ready
from .engine.game_ready_preview import SKINSCOPE_OT_game_ready_preview
from .engine.name_fix import SKINSCOPE_OT_fix_names
from .engine.playback_fixes import SKINSCOPE_OT_fix_constraints, SKINSCOPE_OT_fix_keys
from .engine.profile_check_operator import SKINSCOPE_OT_profile_check
from .engine.profile_panel import SKINSCOPE_PT_profile
from .engine.suppression_operators import SKINSCOPE_OT_finding_count, SKINSCOPE_OT_finding_suppress
from .engine.verdict_gizmo import SKINSCOPE_GGT_verdict
from .engine.verdict_operators import (
    SKINSCOPE_OT_fix_accept,
    SKINSCOPE_OT_profile_evidence,
    SKINSCOPE_OT_verdict_fix,
)
from .inspect.inspect_operator import SKINSCOPE_OT_inspect, SKINSCOPE_OT_inspect_clear
from .inspect.inspector_panel import SKINSCOPE_PT_inspector
from .inspect.matrix_panel import SKINSCOPE_OT_copy_matrices, SKINSCOPE_PT_matrices
from .inspect.spaces_panel import SKINSCOPE_PT_spaces
from .keymaps import add_shortcuts, remove_shortcuts
from .manual_map import add_manual_map, remove_manual_map
from .menus import (
    SKINSCOPE_MT_pie,
    SKINSCOPE_MT_skinscope,
    SKINSCOPE_PT_overlay,
    add_to_menus,
    remove_from_menus,
)
from .playback.cached_operators import (
    SKINSCOPE_OT_cached_playback_forget,
    SKINSCOPE_OT_cached_playback_record,
    SKINSCOPE_OT_cached_playback_stop_recording,
    SKINSCOPE_OT_cached_playback_toggle,
    SKINSCOPE_OT_cached_playback_watch,
    add_watch,
    remove_watch,
)
from .playback.cached_panel import (
    SKINSCOPE_PT_cached_playback,
    add_recording_status,
    remove_recording_status,
)
from .playback.idle_recording import (
    SKINSCOPE_OT_cached_playback_listen,
    add_idle_recording,
    remove_idle_recording,
)
from .preferences import SKINSCOPE_AP_preferences
from .preview.coming_back import add_coming_back, remove_coming_back
from .preview.comparison_operators import SKINSCOPE_OT_flicker, SKINSCOPE_OT_split_move
from .preview.figures_panel import SKINSCOPE_PT_figure_details
from .preview.new_scenes import add_new_file_handler, remove_new_file_handler
from .preview.panels import (
    SKINSCOPE_PT_display,
    SKINSCOPE_PT_figures,
    SKINSCOPE_PT_meshes,
    SKINSCOPE_PT_reasons,
)
from .preview.preset_file_operators import (
    SKINSCOPE_OT_display_preset_export,
    SKINSCOPE_OT_display_preset_import,
)
from .preview.presets import (
    SKINSCOPE_OT_display_preset_add,
    SKINSCOPE_OT_display_preset_apply,
    SKINSCOPE_PT_display_presets,
)
from .preview.preview_operators import (
    SKINSCOPE_OT_preview_start,
    SKINSCOPE_OT_preview_stop,
    SKINSCOPE_OT_preview_toggle,
)
from .preview.selection_operators import SKINSCOPE_OT_frame_worst_vertex, SKINSCOPE_OT_select_deviating
from .preview.split_gizmo import SKINSCOPE_GGT_split, SKINSCOPE_GT_split_line
from .preview.technique_panel import SKINSCOPE_PT_technique
from .settings.animation_settings import (
    SKINSCOPE_PG_animation,
    SKINSCOPE_PG_clip,
    add_animation_settings,
    remove_animation_settings,
)
from .settings.clip_lists import (
    SKINSCOPE_PG_clip_list,
    SKINSCOPE_PG_clip_lists,
    SKINSCOPE_PG_listed_clip,
    add_clip_lists,
    remove_clip_lists,
)
from .settings.crowd_settings import (
    SKINSCOPE_PG_crowd,
    SKINSCOPE_PG_crowd_mesh,
    SKINSCOPE_PG_crowd_variant,
)
from .settings.export_check_settings import SKINSCOPE_PG_export_check
from .settings.exporter_settings import SKINSCOPE_PG_exporter
from .settings.fix_settings import SKINSCOPE_PG_fixes, add_fix_settings, remove_fix_settings
from .settings.matrix_settings import SKINSCOPE_PG_matrices
from .settings.profile_settings import (
    SKINSCOPE_PG_finding,
    SKINSCOPE_PG_findings,
    SKINSCOPE_PG_profiles,
    add_finding_rows,
    remove_finding_rows,
)
from .settings.properties import (
    SKINSCOPE_PG_previewed_mesh,
    SKINSCOPE_PG_settings,
    add_scene_settings,
    remove_scene_settings,
)
from .settings.space_settings import SKINSCOPE_PG_spaces
from .settings.technique_settings import SKINSCOPE_PG_technique
from .settings.tracks_settings import (
    SKINSCOPE_PG_masked_bone,
    SKINSCOPE_PG_script,
    SKINSCOPE_PG_track,
    SKINSCOPE_PG_track_key,
)
from .tracks.script_operators import (
    SKINSCOPE_OT_script_load,
    SKINSCOPE_OT_script_play,
    SKINSCOPE_OT_script_rewind,
    SKINSCOPE_OT_script_save,
)
from .tracks.track_operators import (
    SKINSCOPE_OT_track_add,
    SKINSCOPE_OT_track_key_add,
    SKINSCOPE_OT_track_key_remove,
    SKINSCOPE_OT_track_mask,
    SKINSCOPE_OT_track_remove,
)
from .tracks.tracks_lists import SKINSCOPE_UL_track_keys, SKINSCOPE_UL_tracks
from .tracks.tracks_panel import SKINSCOPE_PT_track_events, SKINSCOPE_PT_tracks
from .translations import register_translations, unregister_translations
from .undone import add_undo_handlers, remove_undo_handlers
from .verdict_panel import SKINSCOPE_PT_preview
from .widgets.modal_operators import cancel_modals
from .widgets.status_message import SKINSCOPE_OT_tell

CLASSES = (
    SKINSCOPE_PG_matrices,
    SKINSCOPE_PG_spaces,
    SKINSCOPE_PG_technique,
    SKINSCOPE_PG_finding,
    SKINSCOPE_PG_findings,
    SKINSCOPE_PG_fixes,
    SKINSCOPE_PG_exporter,
    SKINSCOPE_PG_profiles,
    SKINSCOPE_PG_export_check,
    SKINSCOPE_PG_crowd_mesh,
    SKINSCOPE_PG_crowd_variant,
    SKINSCOPE_PG_crowd,
    SKINSCOPE_PG_previewed_mesh,
    SKINSCOPE_PG_settings,
    SKINSCOPE_PG_listed_clip,
    SKINSCOPE_PG_clip_list,
    SKINSCOPE_PG_clip_lists,
    SKINSCOPE_PG_clip,
    SKINSCOPE_PG_masked_bone,
    SKINSCOPE_PG_track,
    SKINSCOPE_PG_track_key,
    SKINSCOPE_PG_script,
    SKINSCOPE_PG_animation,
    SKINSCOPE_AP_preferences,
    SKINSCOPE_OT_preview_start,
    SKINSCOPE_OT_preview_stop,
    SKINSCOPE_OT_preview_toggle,
    SKINSCOPE_OT_display_preset_add,
    SKINSCOPE_OT_display_preset_apply,
    SKINSCOPE_OT_display_preset_export,
    SKINSCOPE_OT_display_preset_import,
    SKINSCOPE_PT_display_presets,
    SKINSCOPE_OT_select_deviating,
    SKINSCOPE_OT_frame_worst_vertex,
    SKINSCOPE_OT_copy_matrices,
    SKINSCOPE_OT_flicker,
    SKINSCOPE_OT_split_move,
    SKINSCOPE_GT_split_line,
    SKINSCOPE_GGT_split,
    SKINSCOPE_GGT_verdict,
    SKINSCOPE_OT_inspect,
    SKINSCOPE_OT_inspect_clear,
    SKINSCOPE_OT_clips_refresh,
    SKINSCOPE_OT_clip_loop,
    SKINSCOPE_OT_clips_from_file,
    SKINSCOPE_OT_clips_bake,
    SKINSCOPE_OT_mixer_play,
    SKINSCOPE_OT_mixer_fade,
    SKINSCOPE_OT_mixer_stop,
    SKINSCOPE_OT_track_add,
    SKINSCOPE_OT_track_remove,
    SKINSCOPE_OT_track_mask,
    SKINSCOPE_OT_track_key_add,
    SKINSCOPE_OT_track_key_remove,
    SKINSCOPE_OT_script_play,
    SKINSCOPE_OT_script_rewind,
    SKINSCOPE_OT_script_load,
    SKINSCOPE_OT_script_save,
    SKINSCOPE_OT_profile_check,
    SKINSCOPE_OT_profile_jump,
    SKINSCOPE_OT_verdict_fix,
    SKINSCOPE_OT_profile_evidence,
    SKINSCOPE_OT_fix_accept,
    SKINSCOPE_OT_export_check,
    SKINSCOPE_OT_export_jump,
    SKINSCOPE_OT_tell,
    SKINSCOPE_OT_finding_jump,
    SKINSCOPE_OT_finding_page,
    SKINSCOPE_OT_finding_select,
    SKINSCOPE_OT_finding_show,
    SKINSCOPE_OT_finding_suppress,
    SKINSCOPE_OT_finding_count,
    SKINSCOPE_OT_game_ready_copy,
    SKINSCOPE_OT_game_ready_preview,
    SKINSCOPE_OT_fix_groups,
    SKINSCOPE_OT_fix_influences,
    SKINSCOPE_OT_fix_normalise,
    SKINSCOPE_OT_fix_scale,
    SKINSCOPE_OT_fix_stray,
    SKINSCOPE_OT_fix_keys,
    SKINSCOPE_OT_fix_constraints,
    SKINSCOPE_OT_fix_names,
    SKINSCOPE_OT_cached_playback_toggle,
    SKINSCOPE_OT_cached_playback_record,
    SKINSCOPE_OT_cached_playback_stop_recording,
    SKINSCOPE_OT_cached_playback_forget,
    SKINSCOPE_OT_cached_playback_watch,
    SKINSCOPE_OT_cached_playback_listen,
    SKINSCOPE_OT_bone_texture,
    SKINSCOPE_OT_crowd_toggle,
    SKINSCOPE_OT_crowd_control,
    SKINSCOPE_OT_crowd_forget_steering,
    SKINSCOPE_OT_crowd_refresh,
    SKINSCOPE_OT_crowd_variant_add,
    SKINSCOPE_OT_crowd_variant_remove,
    SKINSCOPE_OT_crowd_variant_mesh,
    SKINSCOPE_UL_clips,
    SKINSCOPE_UL_tracks,
    SKINSCOPE_UL_track_keys,
    SKINSCOPE_UL_findings,
    SKINSCOPE_PT_preview,
    SKINSCOPE_PT_profile_findings,
    SKINSCOPE_PT_game_ready,
    SKINSCOPE_PT_display,
    SKINSCOPE_PT_figures,
    SKINSCOPE_PT_reasons,
    SKINSCOPE_PT_figure_details,
    SKINSCOPE_PT_profile,
    SKINSCOPE_OT_exporter_settings_take,
    SKINSCOPE_OT_finding_export,
    SKINSCOPE_PT_profile_figures,
    SKINSCOPE_PT_exporter,
    SKINSCOPE_PT_animation,
    SKINSCOPE_PT_baked_clip,
    SKINSCOPE_PT_tracks,
    SKINSCOPE_PT_track_events,
    SKINSCOPE_PT_cached_playback,
    SKINSCOPE_PT_crowd,
    SKINSCOPE_UL_crowd_variants,
    SKINSCOPE_PT_crowd_variants,
    SKINSCOPE_PT_inspector,
    SKINSCOPE_PT_meshes,
    SKINSCOPE_PT_export_check,
    SKINSCOPE_PT_export_findings,
    SKINSCOPE_PT_developer,
    SKINSCOPE_PT_matrices,
    SKINSCOPE_PT_spaces,
    SKINSCOPE_PT_technique,
    SKINSCOPE_MT_skinscope,
    SKINSCOPE_MT_pie,
    SKINSCOPE_PT_overlay,
)


def register_interface() -> None:
    """Register all classes, the scene's settings and the translations."""
    for one in CLASSES:
        bpy.utils.register_class(one)
    add_scene_settings()
    add_finding_rows()
    add_clip_lists()
    add_fix_settings()
    add_animation_settings()
    add_save_handler()
    add_undo_handlers()
    add_coming_back()
    register_translations()
    add_new_file_handler()
    add_to_menus()
    add_shortcuts()
    add_manual_map()
    add_watch()
    add_recording_status()
    add_idle_recording()


def unregister_interface() -> None:
    """Undo `register_interface`, in reverse."""
    cancel_modals()
    remove_idle_recording()
    remove_recording_status()
    remove_watch()
    remove_manual_map()
    remove_shortcuts()
    remove_from_menus()
    remove_new_file_handler()
    unregister_translations()
    remove_coming_back()
    remove_undo_handlers()
    remove_save_handler()
    remove_animation_settings()
    remove_clip_lists()
    remove_fix_settings()
    remove_finding_rows()
    remove_scene_settings()
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
