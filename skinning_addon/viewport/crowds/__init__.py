"""A scene's crowd in the 3D views: who is in it, playing it with Blender's timeline, steering, and drawing it.

Read `scene_crowd`, then `crowd_player`.
"""
