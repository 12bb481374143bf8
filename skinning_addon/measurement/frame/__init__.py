"""One mesh at one frame: skinned on a device, compared with Blender's own result, and taken apart by cause.

Read `devices`, `mesh_measurement` and `sample`; `attribution` skins once for each thing that a profile does
differently, by `cause_measurement`. `worst_frame` is what the sidebar and `check` report about a mesh, with
the verdict. `frame_measurement` is the same for a frame that a preview has read already.
"""
