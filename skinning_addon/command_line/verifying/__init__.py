"""`skinscope check-file` and `check-export`: exported files, read back and compared with the rig that they were
exported from.

Read `check_file`, then `check_export`; `verdict_report` is their output.
"""
