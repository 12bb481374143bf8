"""Normals that follow the weights: derivatives of positions along the surface, carried through every pass.

Read `surface_derivative` (along a mesh), `weight_gradient` (of weights), `gradient_normals` (through
skinning), then `corner_skinning`, which provides positions and normals for drawing.
"""
