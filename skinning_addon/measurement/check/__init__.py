"""A whole check of a file: every skinned mesh over everything the file plays.

Read `check`, then `scan` and `worst_frames`; `report` is the result, plain data for people and scripts.
"""
