"""Copies of objects, evaluated in a separate scene so that the user's objects stay untouched.

Read `isolated_scene`, then `copied_objects`; `property_comparison` ensures that copies have their original's
settings, and `scene_settings` copies the scene settings that modifiers depend on.
"""
