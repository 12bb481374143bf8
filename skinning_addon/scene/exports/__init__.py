"""Blender's exporters, called with the user's own settings, and numbers that identify a file's vertices.

Read `exporters`, `kept_settings`, `export_settings`, then `vertex_numbers`.
"""
