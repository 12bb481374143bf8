"""Clips: which animations a scene holds, what their actions key, and playing them at any frame.

Read `actions` (one way in for every Blender), `clips`, then `playback`; `range_of_motion` turns every control
instead. `action_curves` and `action_keys` read and make the curves themselves.
"""
