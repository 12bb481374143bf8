"""The user's choices: settings as the draw handlers need them, preferences, profiles, language and unit.

Read `settings` first. `translation` is the one place where words are translated.
"""
