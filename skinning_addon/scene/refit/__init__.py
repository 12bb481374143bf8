"""The game-ready copy: a character built again beside the original, as an engine can play it.

Read `plan`, what a copy consists of, then `game_ready_copy`, which makes it from `copied_armature`,
`copied_meshes` and `copied_clips`. `authored_bones` reads what `core.refit.hierarchy` chooses parents from,
`plan_parts` makes parts of a plan from arrays, and `plain_plan` plans a copy that needs no fit.
`rest_of_anything` and `bones_of_anything` make a mesh with bones of an object that no armature moves.
"""
