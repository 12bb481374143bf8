"""`skinscope refit`: a file with game-ready copies of its characters.

Read `refit` (the command) and `refit_report` (what it says).
"""
