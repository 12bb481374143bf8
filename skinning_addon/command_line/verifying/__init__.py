"""`skinscope check-file`: exported files, read back and compared with the rig that they were exported from.

Read `check_file`; `verdict_report` is its output.
"""
