"""Fitting a character for an engine: what its meshes do in Blender, played and recorded, and weights for it.

Read `animated_keys` and `target_stack` (what of a mesh is fitted), `recording` (playing and recording),
`fitted_bones` (the fit: `fitting` of weights, `helper_fit`, and `baked_fit` of bones that leave their authored
motion), `refit` (the plan of a copy), and `fit_sentences` (what is said about it). `points_of_anything` and
`anything` do likewise for meshes that no armature moves. `tangent_frames` says how either copy is lit.
"""
