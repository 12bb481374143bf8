"""Words and marks over a 3D view: figures, the legend, the inspected vertex.

Read `sentences` and `view_text`; `inspection` says which vertex is looked at, `inspection_marks` draws it.
"""
