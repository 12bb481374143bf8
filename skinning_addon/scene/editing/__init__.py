"""Fixes to the user's meshes: writing vertex groups, selecting vertices, applying scale.

Only used by operators that say so and can be undone. `vertex_group_use` says what a group is for.
"""
