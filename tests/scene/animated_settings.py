"""Rigs with a keyed or driven setting of a modifier or of bones: odd frames have one value, even frames
another.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy

from .random_rig import RandomRig, RigOptions, random_rig

FRAMES = (1, 2, 3)

PLAIN = RigOptions(seed=3, bones=8, vertices=120, scale="none")
BENDY = RigOptions(seed=3, bones=8, vertices=120, scale="none", bendy=4)
ENVELOPES = RigOptions(seed=3, bones=8, vertices=120, scale="none", envelopes=True)
MASK = RigOptions(seed=3, bones=8, vertices=120, scale="none", mask=True)
TWO = RigOptions(seed=3, bones=8, vertices=120, scale="none", modifiers=2)

OF_MODIFIERS: dict[str, tuple[RigOptions, object, object]] = {
    "use_deform_preserve_volume": (PLAIN, False, True),
    "use_multi_modifier": (TWO, False, True),
    "invert_vertex_group": (MASK, False, True),
    "show_viewport": (PLAIN, True, False),
}
OF_BONES: dict[str, tuple[RigOptions, object, object]] = {
    "use_deform": (PLAIN, True, False),
    "bbone_segments": (PLAIN, 1, 4),
    "use_local_location": (PLAIN, True, False),
    "use_inherit_rotation": (PLAIN, True, False),
    "inherit_scale": (RigOptions(seed=3, bones=8, vertices=120), "FULL", "NONE"),
    "use_envelope_multiply": (ENVELOPES, False, True),
    "envelope_distance": (ENVELOPES, 0.1, 0.9),
    "envelope_weight": (ENVELOPES, 0.1, 1.0),
    "head_radius": (ENVELOPES, 0.05, 0.6),
    "tail_radius": (ENVELOPES, 0.05, 0.6),
    "bbone_curveinx": (BENDY, 0.0, 0.4),
    "bbone_curveoutz": (BENDY, 0.0, 0.4),
    "bbone_rollin": (BENDY, 0.0, 0.5),
    "bbone_rollout": (BENDY, 0.0, 0.5),
    "bbone_easein": (BENDY, 1.0, 0.2),
    "bbone_easeout": (BENDY, 1.0, 0.2),
    "bbone_scalein": (BENDY, (1.0, 1.0, 1.0), (2.0, 1.0, 1.0)),
    "bbone_scaleout": (BENDY, (1.0, 1.0, 1.0), (2.0, 1.0, 1.5)),
    "use_scale_easing": (BENDY, False, True),
}
SETTINGS = OF_MODIFIERS | OF_BONES


def keyed(owner: bpy.types.bpy_struct, name: str, odd: object, even: object) -> None:
    for frame in FRAMES:
        setattr(owner, name, odd if frame % 2 else even)
        owner.keyframe_insert(name, frame=frame)


def driven(owner: bpy.types.bpy_struct, name: str, odd: object, even: object) -> None:
    items = owner.bl_rna.properties[name].enum_items if isinstance(odd, str) else None
    ends = [items[one].value if items else one for one in (odd, even)]
    curves = owner.id_data.driver_add(owner.path_from_id(name))
    for index, curve in enumerate(curves if isinstance(curves, list) else [curves]):
        first, second = (float(one[index] if isinstance(one, tuple) else one) for one in ends)
        # Not "frame % 2": that isn't a simple expression, and a desktop Blender won't run Python for it.
        curve.driver.expression = f"{first} if fmod(frame, 2) else {second}"


def animated_rig(setting: str, animate: Callable[..., None] = keyed) -> RandomRig:
    options, odd, even = SETTINGS[setting]
    rig = random_rig(options)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = FRAMES[0], FRAMES[-1]
    if setting in OF_MODIFIERS:
        animate(rig.mesh.modifiers[-1], setting, odd, even)
    else:
        for bone in rig.armature.data.bones[:3]:
            animate(bone, setting, odd, even)
    bpy.context.scene.frame_set(FRAMES[0])
    return rig
