"""What every command needs: opening Blender, keeping outputs apart, writing files whole, showing progress.

Read `streams` and `blender_session`, then `output_files`; `unexpected` reports unforeseen errors.
`background_blender` does work for a user's session in another Blender.
"""
