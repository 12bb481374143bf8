"""glTF 2.0 files, read and posed from the specification alone: what a file plays, independent of Blender.

Read `container`, `accessors`, `node_tree`, `animation`, `primitives`, then `posed_file`, which uses them all.
Clause numbers are those of the glTF 2.0 specification (Khronos, registry.khronos.org/glTF).
"""
