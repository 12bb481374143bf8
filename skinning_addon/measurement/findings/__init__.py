"""Findings besides the deviation: one file per subject (weights, rig, stack, profile, draw calls, file).

Each has functions that take measurements and return findings. Start with `profile_findings`.
"""
