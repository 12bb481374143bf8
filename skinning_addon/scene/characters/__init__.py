"""Characters that need no file: the demo's human, and the arm of the tutorial.

Read `demo_character`, with `demo_body` and `demo_animation`; `learning_rig` stands by itself.
"""
