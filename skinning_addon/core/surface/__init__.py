"""Normals that follow the weights: how positions change along the surface, carried through every pass.

Read `surface_derivative` (along a mesh), `weight_gradient` (of weights), `gradient_normals` (through skinning), then
`corner_skinning`, which gives drawing its positions and normals.
"""
