"""Armatures as skeletons and poses, bendy bones included, and what a profile leaves out of them.

Read `armature_reader` first, then `bendy_reader` and `profiled_reading`; `bone_matrices` is one bone with all its
matrices, `driver_cycles` finds settings that no order of evaluation gets right.
"""
