"""A crowd: agents that idle, choose targets, walk or run there, avoid each other, and can be taken over.

Read `fixed_point`, `settings` and `state` first: what an agent is. `stepping` joins a step's parts, in this
order: `gaits`, `surroundings` (which uses `grid`), `turning`, `deciding`, `separation`, `footsteps`. `crowd` is
the interface; `recording` and `recording_file` keep what is needed to jump to any time. `strides` reads a
gait's speed and footsteps off a clip.

The same seed gives the same crowd bit for bit, whatever numpy: state is in integers, computations use only
+ - * / and square roots of float64, which IEEE 754 rounds correctly, and sums over agents only of whole numbers
that float64 holds exactly.

N agents; P pairs of agents. Points and directions are component-first, (2, N).
"""
