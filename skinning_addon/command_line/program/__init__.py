"""What every command needs: opening Blender, keeping outputs apart, writing files whole, showing progress.

Read `streams` and `blender_session`, then `output_files`; `unexpected` reports unforeseen errors.
"""
