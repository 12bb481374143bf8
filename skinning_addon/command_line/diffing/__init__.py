"""`skinscope diff`: an engine's own positions against a bundle.

Read `diff`, with `bundle_files` and `engine_positions`; `diff_report` is its output.
"""
