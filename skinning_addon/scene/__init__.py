"""Blender's data as core types: what the user's scene says about skinning, and what Blender itself makes of it.

Readers take Blender objects as arguments and keep none: objects do not survive undo or loading a file.
"""
