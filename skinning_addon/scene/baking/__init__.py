"""Clips as the animation layer plays them: baked frame by frame, or read as they were keyed.

Read `clip_baking`, with `clip_reading` and `clip_finishing`; `keyed_clips` takes an artist's own keys instead.
"""
