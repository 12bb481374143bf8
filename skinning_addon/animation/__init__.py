"""Game-style animation in pure numpy: clips, tracks, transitions, events, for one character or thousands.

To learn how a clip becomes a palette, read `clip`, `sampling`, `local_pose` and `palettes`; to learn how a
game drives clips, read `ramps`, `motion`, `tracks`, `events` and `controller`, in that order.

Letters in shapes: I instances, K tracks, B bones, T key times, C channels, N keys, D components.

Poses are *component-first*: a rotation of B bones of I instances is (4, I, B), so that numpy's inner loops
run over bones, not over four components. Quaternions are (w, x, y, z), as in Blender.
"""
