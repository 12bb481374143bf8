"""Engines in the interface: choosing one, checking a rig for it, findings and fixes.

Read `profile_panel` and `profile_check_operator`, then `finding_operators` and `fix_operators`; likewise
`export_check_panel`, `export_check_operator` and `export_watch` for the user's own exports.
"""
