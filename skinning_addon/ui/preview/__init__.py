"""Previews in the interface: starting them, display settings, measurements, comparing with Blender.

Read `panels` and `preview_operators`; `figures_panel` and `selection_operators` lead from a figure to its
vertices.
"""
