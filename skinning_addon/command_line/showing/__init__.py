"""`skinscope render` and `skinscope demo`: pictures, and a rigged human that needs no file.

Read `render`, then `demo` with its picture in `comparison`.
"""
