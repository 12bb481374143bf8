"""Cached Playback: characters whose frames are known are shown from memory while Blender plays.

`groups` finds the characters and what relies on them; `stored_frame` and `cached_mesh` keep their frames;
`frame_cache` records them, and forgets what edits have changed; `aside` has the objects step aside in Blender,
so that it evaluates neither rig nor mesh; `cached_playback` joins it all.
"""
