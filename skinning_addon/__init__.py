"""Skinscope: vertex skinning as a game engine's GPU does it, beside Blender's own.

The layers, each importing only those to its right:

    ui -> viewport -> measurement -> {drawing, scene} -> {core, animation}
    command_line -> measurement
"""
