"""Clips for the animation layer: baked frame by frame, or read with their original keys.

Read `clip_baking`, with `clip_reading` and `clip_finishing`; `keyed_clips` takes an artist's own keys instead.
"""
