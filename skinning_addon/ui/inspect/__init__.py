"""A vertex, a matrix, and skinning step by step, in the interface.

Read `inspector_panel` with `inspect_operator`, `matrix_panel` with `bone_focus`, and `spaces_panel`.
"""
