"""A whole check of a file: every skinned mesh over all that the file plays.

Read `check`, then `scan` and `worst_frames`; `report` is what comes out, plain data for people and scripts.
"""
