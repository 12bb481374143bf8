"""Text and marks over a 3D view: figures, the legend, the inspected vertex.

Read `sentences` and `view_text`; `inspection` knows which vertex is inspected, `inspection_marks` draws it.
"""
