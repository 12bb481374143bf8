"""Where previews appear: objects found again after undo, instances, what a view shows and what Blender hides.

Read `object_lookup` and `instances`, then `visibility`; `hidden_meshes` keeps Blender from drawing its own
mesh.
"""
