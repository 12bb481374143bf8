"""Textbook skinning: a skeleton, a skin, the palette offset * to_root, and the deviation between two results.

Read `skeleton`, `skin`, `joints`, `pose`, `palette`, `passes`, `mesh`; `deviation` and `normals` deal with
results. The next room, `blending`, blends the vertices, and `binding` in `profiles` ties it all together for
one mesh.
"""
