"""What a deviation means: findings and their causes, thresholds, tolerances, the bones and frames that matter.

Read `finding`, `verdict` and `tolerance` first; `cause_sentence` puts a cause into words, and `deviation_track`
follows a mesh through the frames of a clip.
"""
