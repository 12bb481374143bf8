"""A scene's contents: mesh objects, their modifier stacks and node groups, instances, objects carried by
armatures.

Read `modifier_stack` first, which sorts a stack into before, armatures and after; `deformed_meshes` finds the
characters' meshes, `carried_objects` what is attached to their bones. `animated_settings` finds what is
keyed.
"""
