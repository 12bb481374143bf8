"""Small maths shared by several rooms: dataclass arrays, vectors, quaternions, rotations in matrices.

Read `arrays` first: it makes the fields of frozen dataclasses read-only. Nothing here knows about bones or
meshes.
"""
