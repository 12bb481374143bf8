"""What fixes do to meshes of the user's: vertex groups written, vertices selected, scale applied.

Only operators that say so and can be undone come here. `vertex_group_use` says what a group is for.
"""
