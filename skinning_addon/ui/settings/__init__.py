"""Everything that is saved with a scene or an armature: the properties behind the panels, one file per
subject.

Read `properties` first: it is the scene's own group, and holds most of the others.
"""
