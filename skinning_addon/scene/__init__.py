"""Blender's data as core types: the user's skinning setup, and Blender's own result.

Readers take Blender objects as arguments and never keep them: objects do not survive undo or loading a file.
"""
