"""The clips that `play` plays: baked, or read as keyed, with anything they can't hold reported on standard
error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import bpy

from ...animation.bone_names import named_bones
from ...core.text.message import counted
from ...scene.armatures.armature_reader import read_armature
from ...scene.baking.clip_baking import BakedClip, BakeSettings, bake_clips, bone_boxes
from ...scene.baking.clip_finishing import ClipFinishing
from ...scene.baking.keyed_clips import read_keyed_clip
from ...scene.clips.action_keys import animated_bends, missing_bones
from ...scene.clips.clips import SceneClip
from ...scene.identification import identity
from ..program.streams import complain


def read_clips(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    clips: Sequence[SceneClip],
    progress: Callable[[int, int], None],
    settings: BakeSettings,
    *,
    keys: bool,
) -> list[BakedClip]:
    """Bake the clips, or read the artist's own keys, and warn about anything lost.

    Raises:
        ClipError: a clip has no keys of its own, or no bone whose root motion could be removed.
    """
    if keys:
        finishing = ClipFinishing.of(
            scene, armature, read_armature(armature).skeleton, bone_boxes(scene, armature)
        )
        baked = [_as_baked(scene, armature, clip, finishing, settings) for clip in clips]
    else:
        baked = bake_clips(scene, armature, clips, settings, progress)
    for one in baked:
        for sentence in _lost(one):
            complain(sentence)
    return baked


def _as_baked(
    scene: bpy.types.Scene,
    armature: bpy.types.Object,
    clip: SceneClip,
    finishing: ClipFinishing,
    settings: BakeSettings,
) -> BakedClip:
    keyed = read_keyed_clip(scene, armature, clip, looping=settings.looping)
    name = keyed.clip.name
    if keyed.unheld:
        curves = ", ".join(sorted({one for channel in keyed.unheld for one in channel.interpolations}))
        channels = counted(len(keyed.unheld), "channel is", "channels are")
        complain(
            f"'{name}': {channels} not linear between keys ({curves}); leave out --keys to bake "
            "what Blender plays."
        )
    if keyed.otherwise:
        bones = counted(len(keyed.otherwise), "bone is", "bones are")
        complain(
            f"'{name}': {bones} posed by more than keys, such as '{keyed.otherwise[0]}'; leave out "
            "--keys to bake what Blender plays."
        )
    part = next(one for one in clip.parts if one.armature == identity(armature))
    finished = finishing.finish(keyed.clip, settings.reduction, settings.root_motion)
    return BakedClip(
        finished.clip,
        (),
        0,
        finished.reduction,
        animated_bends(part),
        missing_bones(part, armature),
        finished.root_motion,
    )


def _lost(baked: BakedClip) -> Iterator[str]:
    name = baked.clip.name
    if baked.missing:
        yield f"'{name}' moves bones that the armature does not have: {named_bones(baked.missing)}."
    for shear in baked.shear[:1]:
        yield (
            f"'{name}' loses shear of {counted(len(baked.shear), 'bone', 'bones')}, most of '{shear.bone}': "
            f"{shear.amount:.2g} of the distance from its head."
        )
    if baked.unheld_bends:
        bones = counted(len(baked.unheld_bends), "bendy bone is", "bendy bones are")
        yield (
            f"'{name}': {bones} animated to bend by their own settings, such as "
            f"'{baked.unheld_bends[0]}'; a clip keeps only the bends that handles cause."
        )
