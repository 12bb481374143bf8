"""Skinning itself, in numpy alone: skeleton, skin, palette, software skinning, deviation.

To learn how a vertex is skinned, read `skeleton`, `skin`, `palette` and `linear_blending`, in that order.
Everything here is plain data and functions over it; nothing imports bpy, gpu or mathutils.

Row vectors throughout: `v' = v @ M`, and products are applied from left to right.
Letters in shapes: V vertices, D drawn vertices, N influences, B bones, J joints, T triangles, F frames.
"""
