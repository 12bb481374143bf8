"""Engines in the interface: choosing one, checking for it, the findings and their fixes.

Read `profile_panel` and `profile_check_operator`, then `finding_operators` and `fix_operators`.
"""
