"""`skinscope refit`: a file with game-ready copies of its characters.

Read `refit` (the command) and `refit_report` (what it says). `background` fits the open file for the sidebar.
"""
