"""Clips from another file for a character in this one.

Read `clip_package` (run in a separate Blender by `clip_package_process`), `clip_pairs` (matching armatures),
`differing_skeletons`, then `brought_clips`, which turns clips into actions.
"""
