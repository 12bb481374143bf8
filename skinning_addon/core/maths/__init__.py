"""Small maths shared by several rooms: dataclass arrays, vectors, quaternions, rotations in matrices.

Read `arrays` first: it makes the fields of frozen dataclasses read-only. `array_record` writes such
dataclasses to a file. `sparse_weights` finds a few weights that add up to one. Nothing here knows about bones
or meshes.
"""
