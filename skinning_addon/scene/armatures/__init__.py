"""Armatures as skeletons and poses, including bendy bones, and the parts that a profile ignores.

Read `armature_reader` first, then `bendy_reader` and `profiled_reading`; `bone_matrices` holds all matrices
of one bone, `driver_cycles` finds settings that no evaluation order gets right.
"""
