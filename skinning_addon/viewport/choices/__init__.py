"""The user's choices: settings as the draw handlers need them, preferences, profiles, language and unit.

Read `settings` first, and `dated_results` before `profile_results` and `export_results`. Only `translation`
translates words.
"""
