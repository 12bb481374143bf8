"""Copies of objects, evaluated in their own scene so that the user's objects stay untouched.

Read `isolated_scene`, then `copied_objects`; `property_comparison` proves that a copy has its original's
settings, and `scene_settings` copies the scene settings that modifiers depend on.
"""
