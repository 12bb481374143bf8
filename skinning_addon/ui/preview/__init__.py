"""Previews in the interface: starting them, how they are shown, what was measured, comparing with Blender.

Read `panels` and `preview_operators`; `figures_panel` and `selection_operators` lead from a figure to its vertices.
"""
