"""The program: check, export, render and demo, run as `python -m skinning_addon` or as `blender --command skinscope`.

A command's report owns standard output; all else that is printed goes to standard error. `bpy` is imported when a command
runs, and not before: help and wrong use must not wait for Blender.
"""
