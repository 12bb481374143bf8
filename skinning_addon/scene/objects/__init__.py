"""What a scene holds: mesh objects, their modifier stacks and node groups, instances, what armatures carry.

Read `modifier_stack` first, which sorts a stack into before, armatures and after; `deformed_meshes` says which
meshes are characters, `carried_objects` what hangs on their bones. `animated_settings` finds what is keyed.
"""
