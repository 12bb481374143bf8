"""`skinscope export`: skins, hierarchies, matrices and expected positions.

Read `export`, then `bundle_document`, which writes the list. docs/export-format.md describes the files.
"""
