"""Clips from another file for a character in this one.

Read `clip_package` (packed in a Blender of its own, `clip_package_process`), `clip_pairs` (matching
armatures), `differing_skeletons`, then `brought_clips`, which turns them into actions.
"""
