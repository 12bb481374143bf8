"""Engines in the interface: which one, checking for it, what was found and the fixes.

Read `profile_panel` and `profile_check_operator`, then `finding_operators` and `fix_operators`.
"""
