"""Animation in the interface: baking clips, playing them in a mixer, clips from another file.

Read `animation_panel` and `animation_operators`, then `mixer_player`.
"""
