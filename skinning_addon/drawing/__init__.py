"""GPU objects and shaders: skinning with our own GLSL, drawn and read back.

A pose goes `SkinnedDrawing.update` -> `DrawCall.update` -> `PaletteBuffer.upload`, once; `SkinnedDrawing.draw`
then draws it in any number of views. `GpuSkinner.skin` uploads and reads back. Both run the one skinning
library in gpu_shaders/lib. Nothing here imports bpy or knows Blender's data, and no GPU object is
created at import. Every GPU object has one owner, which frees it in `free()`, on the main thread.
"""
