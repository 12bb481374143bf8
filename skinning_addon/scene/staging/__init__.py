"""Clips played on copies, in a scene of their own, without what does not matter to the bones that deform.

Read `clip_scene`, then `clip_staging` and `clip_recording`; `pose_trimming` takes the rest away, going by
`bone_reliance`, `driver_settling` and `bone_removal`.
"""
