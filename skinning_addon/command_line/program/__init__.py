"""What every command needs: Blender opened, output kept apart, files written whole, progress told.

Read `streams` and `blender_session`, then `output_files`; `unexpected` tells of errors that were not foreseen.
"""
