"""Small mathematics that several rooms share: arrays of dataclasses, vectors, quaternions, rotations in matrices.

Read `arrays` first: it makes the fields of frozen dataclasses read-only. Nothing here knows of bones or meshes.
"""
