"""Blender's exporters, called with the user's own settings, and numbers that identify a file's vertices.

Read `exporters`, `kept_settings`, `export_settings`, `vertex_numbers`, then `own_actions`, which Blender's glTF
exporter asks about game-ready copies.
"""
