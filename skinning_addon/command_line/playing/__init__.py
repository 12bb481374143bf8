"""`skinscope play`: clips played as a game's animation controller plays them.

Read `play`, then `played_clips` and `play_script`; `played_frames`, `played_events` and `play_strip` are its
outputs.
"""
