"""The user's choices: settings as the draw handlers need them, preferences, profiles, language and unit.

Read `settings` first. Only `translation` translates words.
"""
