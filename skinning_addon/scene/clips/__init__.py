"""Clips: a scene's animations, the bones their actions key, and playing them at any frame.

Read `actions` (one interface for all Blender versions), `clips`, `playback`, then `clip_player`, which plays
clips as an exported file holds them (`playback_plan`, `exported_actions`, `pose_left`, `own_transform`);
`range_of_motion` turns every control instead. `action_curves` and `action_keys` make and read the curves
themselves.
"""
