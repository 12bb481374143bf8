"""GPU objects and shaders: skinning by our own GLSL, drawn and read back.

A frame goes `SkinningInputs.upload` (the palettes) -> `SkinnedDrawing.draw` or `GpuSkinner.skin`; both run the one
skinning library in gpu_shaders/lib. Nothing here imports bpy or knows Blender's data, and no GPU object is made at
import. Every GPU object has one owner, which gives it back in `free()`, on the main thread.
"""
