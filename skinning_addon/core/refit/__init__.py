"""A rig that an engine can play as it was authored: bones, their motion, and weights fitted to what is wanted.

Bones and motion: `channels` (translation, rotation and scale, as Blender keys them) and `hierarchy` (each
bone's parent, chosen so that nothing is sheared).

Weights: `wanted` first (positions over frames, and how the joints moved meanwhile), then in the order of a fit:
`candidates` (the joints that a vertex may choose from), `costs` (what a choice costs, gathered over frames),
`seams` and `mirroring` (vertices that share one solution; `alike` gathers them), `weight_fit` (least squares),
`worst_frames` (the worst frames count most) and `judging` (figures on frames that the fit has not seen, and the
return of former weights where it is worse there).

Helper bones, for what an engine's limit leaves off: `helper_bones` (how they move) and `helper_search`; on
meshes with Preserve Volume `volume_blend` and `volume_search`. `clip_bones`
below them bring clips nearer still.

Baked clips, the other `kind` of copy: `anchored_bones` (which stay), `free_bones` (how others are held) and
`baked_motion` (where they go).

`angles` says how far normals and tangents of a copy are turned.

Bones from motion alone: `decomposition` finds bones, weights and motion from positions over frames, from
`mesh_motion` (the motion of a mesh without that of the whole), `motion_clusters` (where the search begins),
`motion_costs` (for weights), `rigid_bones` (for motion) and `rotations`.

After Le and Deng, *Smooth Skinning Decomposition with Rigid Bones* (2012). In `weight_fit` bones move as
authored, in `decomposition` freely, in `baked_motion` near where they were authored.
"""
