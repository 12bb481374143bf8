"""`skinscope crowd`: many of a character that walk about.

Read `crowd`, then `character` and `playing_crowd`; `crowd_files` and `crowd_strip` are its outputs.
"""
