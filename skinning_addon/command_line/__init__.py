"""The program: check, export, render and demo, run as `python -m skinning_addon` or as
`blender --command skinscope`.

A command's report owns standard output; everything else goes to standard error. `bpy` is not imported until a
command runs: help and usage errors must not wait for Blender.
"""
