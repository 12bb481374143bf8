"""Random settings of Blender's exporters, for random characters."""

from __future__ import annotations

import numpy as np


def draw_settings(seed: int, exporter: str) -> dict[str, object]:
    """Draw the exporter's settings for a character."""
    random = np.random.default_rng([seed, 2 if exporter == "gltf" else 3])

    def chance(share: float) -> bool:
        return bool(random.random() < share)

    if exporter == "fbx":
        return {
            "bake_anim_use_nla_strips": chance(0.3),
            "bake_anim_use_all_actions": chance(0.5),
            "bake_anim_simplify_factor": 1.0 if chance(0.25) else 0.0,
            "use_armature_deform_only": chance(0.3),
        }
    # Of its own, so that the other settings stay as they were.
    steps = np.random.default_rng([seed, 5])
    modes = ["ACTIONS", "ACTIONS", "ACTIVE_ACTIONS", "NLA_TRACKS", "SCENE", "BROADCAST"]
    return {
        "export_animation_mode": str(random.choice(modes)),
        "export_reset_pose_bones": chance(0.8),
        "export_anim_single_armature": chance(0.8),
        "export_bake_animation": chance(0.2),
        "export_current_frame": chance(0.2),
        "export_def_bones": chance(0.3),
        "export_hierarchy_flatten_bones": chance(0.3),
        "export_all_influences": chance(0.5),
        "export_frame_step": int(steps.choice([1, 1, 1, 2, 3])),
    }
