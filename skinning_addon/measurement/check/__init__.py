"""A whole check of a file: every skinned mesh over everything the file plays.

Read `check`, then `scan`, `worst_frames` and `causes`; `report` is the result, plain data for people and
scripts.
"""
