"""Joins scene and drawing: a bound mesh, a frame and a device become a deviation from Blender's own result."""
