"""Clips of another file, for a character of this one.

Read `clip_package` (packed in a Blender of its own, `clip_package_process`), `clip_pairs` (which armature plays for
which), `differing_skeletons`, then `brought_clips`, which makes actions of them.
"""
