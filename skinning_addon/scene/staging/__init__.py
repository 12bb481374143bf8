"""Clips played on copies, in their own scene, stripped of everything that does not affect deforming bones.

Read `clip_scene`, then `clip_staging` and `clip_recording`; `pose_trimming` strips the rest, based on
`bone_reliance`, `driver_settling` and `bone_removal`.
"""
