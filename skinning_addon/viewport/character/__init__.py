"""One previewed mesh: bound, followed from frame to frame, drawn, and compared with Blender's own.

Read `preview`, `mesh_in_layer` and `drawing_by_technique`, in that order; `step_preview` draws skinning stopped
partway, `reference_drawing` and `blender_reference` are Blender's result, and `figures` compares the two.
"""
