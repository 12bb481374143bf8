"""Everything that is saved with a scene or an armature: the properties behind the panels, one file a subject.

Read `properties` first: it is the group that a scene has, and holds most of the others.
"""
