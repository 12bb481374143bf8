"""Fixes to the user's meshes: writing vertex groups, selecting vertices, applying scale.

Only used by operators that announce it and can be undone. `vertex_group_use` tells what a group is used for.
"""
