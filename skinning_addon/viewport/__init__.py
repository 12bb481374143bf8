"""Live previews: previewed meshes, their GPU drawings, and the handlers that keep them up to date.

Event handlers only *mark* previews as out of date. The draw handler *consumes* the marks: it reads the scene,
uploads, draws and measures, and writes no Blender data. No Blender object is kept between calls: objects do not
survive undo or loading a file, but their `session_uid` does.
"""
