"""Clips for the animation layer: baked frame by frame, or read with their original keys.

Read `clip_baking`, with `clip_reading` and `clip_finishing`; `file_reading` reads clips as an exported file
holds them, and `keyed_clips` takes an artist's own keys instead.
"""
