"""Positions that another program computed, brought beside ours: axes, unit, and which vertex is which.

Read `engine_axes`, `vertex_matching`, then `engine_comparison`, which uses both.
"""
