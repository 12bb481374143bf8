"""Clips of third-party characters, against Blender's evaluated meshes: baked, and with fewer keys.

With SKINSCOPE_EVERY_CLIP set, every clip of every rig is measured, for docs/animation-accuracy.md, including
Rigify's human; otherwise a few of the others.
"""

from __future__ import annotations

import os
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.scene.clips.clips import list_clips
from tests.scene.opened_rigs import open_rig

from .clip_accuracy import REDUCED_TO, measure_clips

EXACT = 1e-5
CLIPS = {
    "Fox.glb": 3,
    "mannequiny.glb": 10,
    "raylib_robot.blend": 14,
    "KayKit_Knight.glb": 76,
}
EVERY_CLIP = bool(os.environ.get("SKINSCOPE_EVERY_CLIP"))
if EVERY_CLIP:
    # Minutes: 930 bones, and hundreds of frames between the whole ones.
    CLIPS["mpfb_rigify_plain.blend"] = 2
AT_MOST = 2


@pytest.mark.rigs
@pytest.mark.parametrize("rig", CLIPS)
def test_clips_equal_blender_and_keep_the_tolerance_of_their_reduction(rigs_folder: Path, rig: str):
    open_rig(rigs_folder / rig)
    clips = list_clips(bpy.context.scene)
    assert len(clips) == CLIPS[rig]
    if not EVERY_CLIP:
        clips = [clips[round(index)] for index in np.linspace(0, len(clips) - 1, min(AT_MOST, len(clips)))]
    measured = []
    for one in measure_clips(clips):
        one.log(rig)
        measured.append(one)
    for one in measured:
        assert one.reduced_bound <= REDUCED_TO
        if one.shear:
            assert max(one.unexplained_whole, one.unexplained_fractional) <= EXACT
        else:
            assert max(one.whole, one.fractional) <= EXACT
            # What the reduction bounds is its distance from the whole clip.
            assert one.reduced <= REDUCED_TO + EXACT
        assert one.reduced_bytes <= one.bytes
