"""Copies of objects, evaluated in a scene of their own so that the user's objects stay as they are.

Read `isolated_scene`, then `copied_objects`; `property_comparison` proves that a copy is set like its original, and
`scene_settings` takes over what modifiers are evaluated by.
"""
