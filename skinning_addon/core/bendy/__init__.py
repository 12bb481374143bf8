"""Bendy bones and envelopes: joints along a curve, and weights by distance.

Read `bones` (the joints at rest), `shape` (what bends them), `handles`, `curve` and `spline` (the joints of a
pose); then `curved_mapping`. `envelope` stands by itself.
"""
