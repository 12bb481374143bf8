"""Meshes, their weights and materials, and Blender's own results: the reference that we measure against.

Read `mesh_reader`, `vertex_group_reader` and `blender_result`; `stack_input` is the mesh before its first
armature, `armature_result` after its last one, and `copy_proof` says whether such a copy can be trusted.
"""
