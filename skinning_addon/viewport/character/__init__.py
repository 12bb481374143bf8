"""One previewed mesh: bound, followed from frame to frame, drawn, and compared with Blender's own.

Read `preview`, `live_mesh` and `mesh_drawing`, in that order; `live_drawing` is our drawing, `blender_drawing` and
`blender_reference` are Blender's result, `step_preview` draws skinning stopped on its way.
"""
