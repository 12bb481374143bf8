"""Pictures of characters: drawn by us within Blender's own drawing of the scene, with words on them.

Read `picture`, with `camera` and `blender_view`; `annotations` writes on it, `png_file` saves it.
"""
