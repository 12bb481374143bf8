"""A mesh object bound to what deforms it, read frame by frame, and whether that is still so.

Read `binding_reader`, `frame_reader` and `binding_signature`; `instant` shares what several meshes need of one frame.
`pose_reasons` says what of a pose can't be reproduced.
"""
