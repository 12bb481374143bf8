"""Exported files, measured: read back, posed at every frame, and compared with Blender vertex by vertex.

Read `recording`, `exported_file` with `gltf_file` and `imported_file`, `clip_pairs`, `moved_armatures`,
`mesh_pairs`, `assumed_pairs`, then `comparison` and `causes`. `first_look` compares a few frames while the
user waits.
"""
