"""The textbook: a skeleton, a skin, the palette offset * to_root, and how far a result lies from another.

Read `skeleton`, `skin`, `palette`, `mesh`; `deviation` and `normals` are about results. How vertices are then blended is
the next room, `blending`, and `binding` in `profiles` holds it all together for one mesh.
"""
