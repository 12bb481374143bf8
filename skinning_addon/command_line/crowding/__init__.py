"""`skinscope crowd`: many of a character that walk about.

Read `crowd`, then `playing_crowd`; `crowd_files` and `crowd_strip` are its outputs. Characters are read in
`scene.crowd`.
"""
