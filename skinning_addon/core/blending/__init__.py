"""Skinning on the CPU: vertices moved by a palette, linearly, with Preserve Volume, or by dual
quaternions.

Read `software_skinning`, then `linear_blending`; `blend_palette` is the only code that chooses a palette for a
blend. `pass_layout`, `dense_blocks`, `joint_sorted` and `slots` make it fast; `clip_skinning` skins many frames
at once.
"""
