"""A closer look at one vertex or one matrix: every step of skinning, in the reader's notation.

Read `vertex_trace`, then `spaces`, which stops skinning midway; `parts_layout` lays the parts out.
`ray_casting` finds what is under the mouse; `decomposition` and `matrix_text` show a matrix.
"""
