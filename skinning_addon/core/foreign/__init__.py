"""Positions from another program, aligned with ours: axes, unit and vertex matching.

Read `engine_axes`, `vertex_matching`, then `engine_comparison`, which uses both.
"""
