"""The sidebar's check: meshes of the user's scene under engine profiles, without touching pose or frame.

Read `profile_scan`, `mesh_under_profiles` and `mesh_state`; `profile_variant` computes many frames at once in
another thread (`background`), `profile_report` is what panels show, and `fix_measurement` measures the effect
of a fix. `game_ready` makes a game-ready copy and measures it, with `copy_comparison`.
"""
