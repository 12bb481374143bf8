"""Listing, baking and mixing the clips of an armature."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, ClassVar

import bpy
from bpy.props import BoolProperty, StringProperty

from ...animation.ramps import Transition
from ...animation.root_motion import RootMotionSettings
from ...core.text.errors import ClipError, SkinscopeError
from ...core.text.message import Message
from ...core.verdicts.tolerance import Tolerance
from ...scene.baking.clip_baking import BakeSettings, ClipBaking
from ...scene.clips.clips import find_clips
from ...viewport.choices.translation import translated, translated_report, translated_tip
from ...viewport.session import current_session
from ..preview.preview_operators import meshes_moved_by
from ..settings.animation_settings import animation_settings, armature_in_focus, let_loop, loops
from ..settings.clip_lists import clip_names, selected_clip
from ..settings.profile_settings import profile_in_focus
from ..widgets.stepped_operator import SteppedOperator, StepProgress, Steps
from .clip_listing import list_if_needed, refresh_clips
from .mixer_player import mixer_of, new_player, renew_player, unbaked_clips, up_to_date_player

WHAT_TO_SELECT = Message("Make an armature active, or a mesh with an armature")

BETWEEN_FRAMES = 1e-4
"""Fraction of a mesh's size and movement: far below what is visible, yet quick to bake."""


class OfArmature:
    """Operators on the armature in focus."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if armature_in_focus(context) is not None:
            return True
        cls.poll_message_set(translated(WHAT_TO_SELECT))  # pyright: ignore[reportAttributeAccessIssue]
        return False


class OnArmature(OfArmature):
    """Operators that finish at once: `run` does the work, and raises SkinscopeError for errors to report."""

    if TYPE_CHECKING:

        def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None: ...

    def execute(self, context: bpy.types.Context) -> set[str]:
        armature = armature_in_focus(context)
        if armature is None:
            return {"CANCELLED"}
        try:
            self.run(context, armature)
        except SkinscopeError as error:
            self.report({"ERROR"}, translated_report(error.args[0]))  # pyright: ignore[reportAttributeAccessIssue]
            return {"CANCELLED"}
        return {"FINISHED"}


class BakesClips(OfArmature, SteppedOperator):
    """Those that bake clips first: `clips_to_bake` names them, and `use` does what they were baked for."""

    _baking: ClipBaking | None
    _baked_with: BakeSettings

    if TYPE_CHECKING:

        def clips_to_bake(self, armature: bpy.types.Object) -> list[str]: ...

    def needs_list(self, _armature: bpy.types.Object) -> bool:
        """Whether the armature's clips have to be listed first."""
        return True

    def begin(self, context: bpy.types.Context) -> Steps:
        armature = chosen_armature(context)
        if self.needs_list(armature):
            list_if_needed(context.scene, armature)
        names = self.clips_to_bake(armature)
        self._baking = None
        if names:
            clips = find_clips(context.scene, names, [armature])
            self._baked_with = bake_settings(context.scene, armature)
            self._baking = ClipBaking(context.scene, armature, clips, self._baked_with)
        return _steps(self._baking)

    def finish(self, context: bpy.types.Context) -> None:
        armature = chosen_armature(context)
        if self._baking is not None:
            current_session().players.keep_baked(armature, self._baking.baked, self._baked_with)
            renew_player(armature)
        self.use(context, armature)

    def use(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Do what the clips were baked for, once they are kept."""


class SKINSCOPE_OT_clips_refresh(OnArmature, bpy.types.Operator):
    """List the actions and NLA tracks that move the armature"""

    bl_idname = "skinscope.clips_refresh"
    bl_label = "Refresh Clips"
    bl_options: ClassVar = {"REGISTER"}

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        refresh_clips(context.scene, armature)


class SKINSCOPE_OT_clip_loop(OnArmature, bpy.types.Operator):
    """Start the clip over at its end, or hold its last frame"""

    bl_idname = "skinscope.clip_loop"
    bl_label = "Loop Clip"
    bl_options: ClassVar = {"REGISTER", "UNDO"}

    clip: StringProperty(name="Clip", description="Name of the clip; empty for the selected one")

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        list_if_needed(context.scene, armature)
        clip = self.clip or selected_clip(armature)
        if clip not in clip_names(armature):
            raise ClipError("'{clip}' is not in the list of clips; refresh it.", clip=clip)
        let_loop(armature, clip, looping=not loops(armature, clip))
        current_session().players.mark(armature.session_uid)


class SKINSCOPE_OT_clips_bake(BakesClips, bpy.types.Operator):
    """Bake clips to keyframes on a copy of the armature; the scene is not changed"""

    bl_idname = "skinscope.clips_bake"
    bl_label = "Bake Clips"
    bl_options: ClassVar = {"REGISTER"}

    every: BoolProperty(
        name="All Clips", description="Bake all clips instead of only the selected one", default=False
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        if getattr(properties, "every", False):
            return translated_tip(Message("Bake all clips of the list on a copy; the scene is not changed"))
        return ""

    def clips_to_bake(self, armature: bpy.types.Object) -> list[str]:
        return clip_names(armature) if self.every else [selected_clip(armature)]


class SKINSCOPE_OT_mixer_play(BakesClips, bpy.types.Operator):
    """Play the clips in the preview as a game's animation controller does, or pause them; the armature is not posed"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.mixer_play"
    bl_label = "Play Clips"
    bl_options: ClassVar = {"REGISTER"}

    def clips_to_bake(self, armature: bpy.types.Object) -> list[str]:
        return unbaked_clips(armature) if self.needs_list(armature) else []

    def needs_list(self, armature: bpy.types.Object) -> bool:
        player = mixer_of(armature)
        playing = player is not None and player.playing and not player.error
        return not playing and up_to_date_player(armature) is None

    def use(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        session = current_session()
        player = mixer_of(armature)
        if player is not None and player.playing and not player.error:
            session.players.play(player, playing=False)
            return
        player = up_to_date_player(armature) or new_player(armature)
        start_previews(context, armature)
        session.players.play(player, playing=True)


class SKINSCOPE_OT_mixer_fade(OnArmature, bpy.types.Operator):
    """Fade from the current clip to the other one"""

    bl_idname = "skinscope.mixer_fade"
    bl_label = "Crossfade"
    bl_options: ClassVar = {"REGISTER"}

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:  # noqa: ARG002
        settings = animation_settings(armature)
        player = mixer_of(armature)
        if player is None:
            raise ClipError("Nothing is playing; play the clips first.")
        controller = player.controller
        # During a fade, the track that is fading in is the one to fade from.
        source = max(
            (0, 1),
            key=lambda track: float(
                controller.states.weight.end[0, track] * controller.states.enabled[0, track]
            ),
        )
        controller.cross_fade(
            source,
            1 - source,
            settings.transition,
            transition=Transition.EASE if settings.ease else Transition.LINEAR,
            speed=settings.speed,
            match_phase=settings.match_phase,
        )


class SKINSCOPE_OT_mixer_stop(OnArmature, bpy.types.Operator):
    """Make the preview follow Blender's own pose again"""

    bl_idname = "skinscope.mixer_stop"
    bl_label = "Stop Clips"
    bl_options: ClassVar = {"REGISTER"}

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:  # noqa: ARG002
        players = current_session().players
        players.stop(armature.session_uid)
        players.start_over.add(armature.session_uid)


def start_previews(context: bpy.types.Context, armature: bpy.types.Object) -> None:
    """Preview all meshes that an armature moves."""
    session, depsgraph = current_session(), context.evaluated_depsgraph_get()
    for mesh_object in meshes_moved_by(context.scene, armature):
        if session.preview_of(mesh_object) is None:
            session.start(mesh_object, depsgraph)


def chosen_armature(context: bpy.types.Context) -> bpy.types.Object:
    """Return the armature in focus.

    Raises:
        ClipError: there is none.
    """
    armature = armature_in_focus(context)
    if armature is None:
        raise ClipError("No armature is active; select one.")
    return armature


def bake_settings(scene: bpy.types.Scene, armature: bpy.types.Object) -> BakeSettings:
    """Return how the scene and an armature want clips baked."""
    settings = animation_settings(armature)
    reduction = root_motion = None
    if settings.reduction > 0:
        reduction = Tolerance(settings.reduction * scene.unit_settings.scale_length, relative=False)
    if settings.root_motion != "KEEP":
        turning = settings.root_motion == "EXTRACT_TURNING"
        root_motion = RootMotionSettings(settings.root_bone, turning=turning)
    in_blender = BakeSettings(between=BETWEEN_FRAMES, reduction=reduction, root_motion=root_motion)
    return in_blender.under(profile_in_focus(scene))


def _steps(baking: ClipBaking | None) -> Steps:
    if baking is None:
        return
    # Closed as soon as these steps are: that removes the copies.
    with closing(baking.steps()) as steps:
        for one in steps:
            text = Message(
                "Baking '{clip}', {number} of {count}: {frames} frames read. Esc to cancel",
                clip=one.clip,
                number=one.done + 1,
                count=one.total,
                frames=one.frames,
            )
            yield StepProgress(text, one.done, one.total)
