"""What is found besides the deviation: one file a subject (weights, rig, stack, profile, draw calls, file).

Each has functions that take what was measured and return findings. `profile_findings` is where to start.
"""
