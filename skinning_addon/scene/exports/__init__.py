"""Blender's exporters, called with the user's own settings, and numbers that tell a file's vertices apart.

Read `exporters`, `kept_settings`, `export_settings`, then `vertex_numbers`.
"""
