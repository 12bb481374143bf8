"""One previewed mesh: bound, followed from frame to frame, drawn, and compared with Blender's own.

Read `preview`, `mesh_in_layer` and `compared_drawing`, in that order; `drawing_by_technique` is our drawing,
`reference_drawing` and `blender_reference` are Blender's result, and `step_preview` draws skinning stopped
partway.
"""
