"""Fitting a character for an engine: what its meshes do in Blender, played and recorded, and weights for it.

Read `animated_keys` and `target_stack` (what of a mesh is fitted), `recording` (playing and recording), `refit`
(the fit, and the plan of a copy), and `refit_report` (what it says about them). `points_of_anything` and
`anything` do likewise for meshes that no armature moves.
"""
