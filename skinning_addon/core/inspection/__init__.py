"""One vertex or one matrix looked at: every step of its way, in the notation of whoever reads it.

Read `vertex_trace`, then `spaces`, which stops skinning on its way; `parts_layout` lays the parts out.
`ray_casting` finds what is under the mouse; `decomposition` and `matrix_text` show a matrix.
"""
