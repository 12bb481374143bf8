"""`skinscope learn`: every number on one vertex's way to the pixel. docs/tutorial.md goes through them.

Read `learn`, then `lesson_text`; `lesson_combinations` and `lesson_controller` are sections of their own.
"""
