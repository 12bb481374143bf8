"""`skinscope refit`: a file with game-ready copies of its characters.

Read `refit` (the command), `refit_report` (what it says) and `written_copies` (the file). `anything` takes
meshes that no armature moves. `background` fits the open file for the sidebar.
"""
