"""Binding a mesh object to what deforms it, reading it frame by frame, and detecting stale bindings.

Read `binding_reader`, `frame_reader` and `binding_signature`; `instant` shares one frame's data between
meshes, and `armature_poses` keeps its poses for later. `pose_reasons` names the parts of a pose that can't be
reproduced. `rig_signature` tells whether a rig is still as it was checked.
"""
