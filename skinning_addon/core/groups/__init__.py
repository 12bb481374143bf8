"""Bone combinations: a mesh cut into draw calls with small palettes.

Read `partition`, which groups faces, then `draw_groups`, which makes a mesh of each group.
"""
