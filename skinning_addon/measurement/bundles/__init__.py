"""What `export` collects: a mesh, an engine's own buffers, and a hierarchy, frame by frame.

Read `bundle`, then `hierarchy_bundle`. docs/export-format.md describes the arrays.
"""
