"""Built-in characters: the demo's human, and the tutorial's arm.

Read `demo_character`, with `demo_body` and `demo_animation`; `learning_rig` is independent.
"""
