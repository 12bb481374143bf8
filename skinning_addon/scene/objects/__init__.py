"""A scene's contents: mesh objects, modifier stacks, node groups, instances, objects carried by armatures.

Read `modifier_stack` first, which sorts a stack into before, armatures and after; `deformed_meshes` finds the
characters' meshes, `carried_objects` the objects attached to their bones, and `animated_settings` the settings
that are keyed or driven.
"""
