"""Pictures of characters: drawn by us inside Blender's own drawing of the scene, with labels.

Read `picture`, with `camera` and `blender_view`; `annotations` writes on it, `png_file` saves it.
"""
