"""All previews of this Blender session, and all state that goes with them: it ends when the session is closed.

That includes what is costly to compute from a binding (weight gradients, draw groups): a preview owns it
together with the binding. Other modules keep only what depends on no preview, and give it back when the
extension is disabled: `draw_handlers` the GPU objects for text over the views, and `shader_library` the
compiled shaders. `profile_library` keeps the profiles it has read from files.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import replace

import bpy

from ..core.profiles.profile import BLENDER, Profile
from ..drawing.draw_call import DrawCallSize
from .cached.cached_playback import CachedPlayback
from .cached.choices import MEGABYTE, CachedChoices
from .character.figures import Figures
from .character.mesh_in_layer import MeshInLayer
from .character.preview import LayerKey, Preview
from .character.stale import Marks, Stale
from .character.step_layout import StepLayout
from .checks import Checks
from .choices.moved_shapes import MovedShape, moved_shape
from .choices.preferences import read_preferences
from .choices.settings import PreviewSettings, SettingsReader
from .crowds.choices import CrowdChoices
from .crowds.scene_crowd import SceneCrowd
from .first_draws import FirstDraws
from .layers import layer_key, scene_of
from .objects.beside import Places
from .objects.eyes import hide_where_shown
from .objects.hidden_meshes import HiddenMeshes, can_be_hidden
from .objects.in_front import InFront
from .objects.instances import Instances
from .objects.object_lookup import ObjectLookup
from .objects.visibility import hidden_objects
from .overlay.inspection import InspectedVertex, Inspection, Target
from .own_pictures import OwnPictures
from .own_updates import OwnUpdates
from .players import Players
from .postponed import Postponed
from .redraw import redraw_timelines, redraw_views


class ViewportSession:
    """Owns the previews, one for each mesh object, under the session_uid of the original object.

    settings_of: reads a scene's settings, through `reader`. hides_in: reads whether a scene's settings hide
    Blender's meshes, which is asked for with every evaluation.
    objects: finds the previews' objects.
    hidden_meshes: keeps Blender from drawing what a preview stands in for. pictures: those that Blender makes
    itself, which show it.
    swapped: whether ours and Blender's meshes are swapped in the 3D views for now.
    postponed: work that draw callbacks leave to timers. instances: of the previewed meshes.
    step_layout: of meshes that are shown step by step. inspection: the inspected vertex.
    players: animation controllers that pose previews. places: of previews drawn beside their meshes.
    checks: under engine profiles, and of exports. own_updates: Blender's reports that we
    cause. error: a sentence, if an error not of a single preview has switched all of them off,
    or if previews could not start with their file. first_draws: of scenes since their file was opened.
    in_front: objects that views show in front of everything. cached: what Cached Playback remembers and shows.
    crowd: of the scene that is shown.
    on_change: called when previews have started or ended.
    jumped_to: the scene, by session_uid, and the frame that a jump went to last.
    """

    def __init__(
        self,
        settings_of: Callable[[bpy.types.Scene], PreviewSettings],
        hides_in: Callable[[bpy.types.Scene], bool] | None = None,
        cached_choices: Callable[[bpy.types.Scene], CachedChoices] = lambda _scene: CachedChoices(),
        crowd_choices: Callable[[bpy.types.Scene], CrowdChoices] = lambda _scene: CrowdChoices(),
    ) -> None:
        self.reader = SettingsReader(settings_of)
        self.settings_of: Callable[[bpy.types.Scene], PreviewSettings] = self.reader
        self.hides_in = hides_in or (lambda scene: self.settings_of(scene).hides_blenders_mesh)
        self.objects = ObjectLookup()
        self.hidden_meshes = HiddenMeshes(self.objects)
        self.pictures = OwnPictures(self.hidden_meshes, self.hide_meshes)
        self.swapped = False
        self.inspection = Inspection()
        self.players = Players(self.objects, lambda uid: self.mark(uid, Stale.POSE))
        self.checks = Checks(self.objects)
        self.error = ""
        self.first_draws = FirstDraws()
        self.on_change: Callable[[], None] = lambda: None
        self.jumped_to: tuple[int, float] | None = None
        self.instances = Instances()
        self.step_layout = StepLayout()
        self.own_updates = OwnUpdates()
        self.postponed = Postponed(
            lambda: self.previews, self.objects, self.players, self.own_updates, self.settle_meshes
        )
        self.places = Places()
        self.in_front = InFront()
        self.cached = CachedPlayback(
            self.objects,
            cached_choices,
            lambda: read_preferences().cache_megabytes * MEGABYTE,
            lambda: [preview.uid for preview in self._previews.values() if not preview.error],
        )
        self.crowd = SceneCrowd(self.objects, crowd_choices)
        self._previews: dict[int, Preview] = {}

    def settings_in(self, region: bpy.types.Region, scene: bpy.types.Scene) -> PreviewSettings:
        """Return a scene's settings, with previews placed as they were last drawn in a region."""
        settings = self.settings_of(scene)
        return replace(settings, offset=self.places.of(region)) if settings.beside else settings

    @property
    def previews(self) -> tuple[Preview, ...]:
        """All previews in the order they were started, including switched-off ones."""
        return tuple(self._previews.values())

    @property
    def running(self) -> bool:
        """Whether any preview is on."""
        # Handlers ask ten times a frame: a generator would take four times as long.
        for preview in self._previews.values():  # noqa: SIM110
            if not preview.error:
                return True
        return False

    def preview_of(self, mesh_object: bpy.types.Object) -> Preview | None:
        """Return the preview of an original object, None if it has none."""
        return self._previews.get(mesh_object.session_uid)

    def measured(self, layer: LayerKey, hidden: Container[int] = ()) -> list[tuple[str, Figures]]:
        """List the names and last figures of all meshes drawn and compared in a view layer.

        hidden: by session_uid, the objects that are left out.
        """
        profile = self._profile_of(layer)
        return [
            (preview.name, figures)
            for preview, live in self._drawn(layer, hidden)
            if (figures := live.figures) and figures.deviation and figures.profile == profile
        ]

    def figures_of(self, preview: Preview, layer: LayerKey) -> Figures | None:
        """Return the last measurement of a preview in a view layer; None if there is none under the engine that
        is chosen now.
        """
        live = preview.mesh_in_layer(layer)
        figures = live.figures if live else None
        return figures if figures and figures.profile == self._profile_of(layer) else None

    def moved_shapes(self, layer: LayerKey, hidden: Container[int] = ()) -> list[MovedShape]:
        """List the meshes drawn in a view layer that fixes have moved from their authored shapes."""
        found = (moved_shape(self.objects.find(preview.uid)) for preview, _ in self._drawn(layer, hidden))
        return [one for one in found if one is not None]

    def waiting(self, layer: LayerKey, hidden: Container[int] = ()) -> tuple[int, int]:
        """Return how many of the meshes drawn in a view layer have no figures yet, and how many show clips
        that are not compared with Blender's pose.
        """
        drawn = [(preview, live) for preview, live in self._drawn(layer, hidden) if not preview.error]
        played = sum(live.is_played for _, live in drawn)
        unmeasured = sum(
            self.figures_of(preview, layer) is None for preview, live in drawn if not live.is_played
        )
        return unmeasured, played

    def _profile_of(self, layer: LayerKey) -> Profile:
        scene = scene_of(layer)
        return self.settings_of(scene).profile if scene else BLENDER

    def look_at(self, target: Target | None, layer: LayerKey) -> InspectedVertex | None:
        """Return a vertex as it is drawn in a view layer; None if it isn't, or is gone."""
        return self.inspection.look_at(target, self.previews, self.instances, layer)

    def hidden_in(self, context: bpy.types.Context) -> frozenset[int]:
        """List the previewed objects that the context's 3D view doesn't show, by session_uid."""
        layer = layer_key(context.scene, context.view_layer)
        return self.reader.known(
            ("hidden", layer),
            lambda: hidden_objects(self._previews, self.instances, self.objects, context, layer),
        )

    def note_hidden(self, layer: LayerKey, uids: Iterable[int]) -> None:
        """Note what `hidden_in` would find for the view that is being drawn: the text over it asks."""
        self.reader.known(("hidden", layer), lambda: frozenset(uids))

    def draw_calls(self, layer: LayerKey, hidden: Container[int] = ()) -> list[tuple[DrawCallSize, ...]]:
        """List the draw calls of each mesh drawn in a view layer."""
        return [live.drawing.sizes for _, live in self._drawn(layer, hidden) if live.drawing.sizes]

    def cut_before(self, layer: LayerKey, hidden: Container[int] = ()) -> list[str]:
        """List the modifiers before which Blender's stacks were cut for what `measured` lists."""
        drawn = self._drawn(layer, hidden)
        return [figures.before for _, live in drawn if (figures := live.figures) and figures.before]

    def _drawn(self, layer: LayerKey, hidden: Container[int]) -> Iterator[tuple[Preview, MeshInLayer]]:
        for preview in self.previews:
            if not preview.paused and preview.uid not in hidden and (live := preview.mesh_in_layer(layer)):
                yield preview, live

    def exported_at(self, scene: bpy.types.Scene) -> float | None:
        """Return the frame that the scene showed when it was last checked under its engine: what an exporter
        writes may depend on it. None if there is no such check, or it is old.
        """
        check = self.checks.results.check_of(scene.session_uid, self.settings_of(scene).engine.id)
        return None if check is None or check.outdated else check.frame

    def follow_profile(self, scene: bpy.types.Scene) -> None:
        """Forget clips that were baked for files exported otherwise than a scene's settings say now, and draw
        views and timelines again.
        """
        self.players.drop_exported_otherwise(scene, self.settings_of(scene).engine)
        redraw_views()
        redraw_timelines()

    def start(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Preview:
        """Start the preview of an original mesh object, replacing any it has.

        Raises:
            BindingError: the object can't be skinned; see `read_binding`.
        """
        preview = Preview(mesh_object, depsgraph, self.profile_in(depsgraph))
        self.add((preview,))
        return preview

    def profile_in(self, depsgraph: bpy.types.Depsgraph) -> Profile:
        """Return the engine profile of previews in the scene that a depsgraph evaluates."""
        scene = depsgraph.scene.original
        return self.settings_of(scene).profile if isinstance(scene, bpy.types.Scene) else BLENDER

    def add(self, previews: Iterable[Preview]) -> None:
        """Show new previews, replacing those that their objects have."""
        for preview in previews:
            self.stop((preview.uid,))
            self._previews[preview.uid] = preview
        self.instances.mark()
        self.places.clear()
        self.error = ""
        self.on_change()
        self.settle_meshes()
        redraw_views()

    def stop(self, uids: Iterable[int]) -> None:
        """End the previews of these objects; others are left alone."""
        ended = [self._previews.pop(uid) for uid in uids if uid in self._previews]
        for preview in ended:
            preview.free()
        self.places.clear()
        for preview in ended:
            self.hidden_meshes.show(preview.at_its_place)
            self._put_away_original(preview)
        if not self.running:
            self.swapped = False
            self.postponed.cancel()
            self.pictures.cancel()
            self.inspection.clear()
        if ended:
            self.on_change()
            redraw_views()

    def _put_away_original(self, preview: Preview) -> None:
        """Hide the original of a copy, which was shown only to be compared with."""
        original = preview.authored.object if preview.authored else None
        copy = self.objects.find(preview.uid)
        if original is not None and copy is not None:
            hide_where_shown(original, copy)

    def stop_all(self) -> None:
        """End all previews."""
        self.error = ""
        self.players.stop_all()
        self.stop(tuple(self._previews))

    def mark_all(self, stale: Marks) -> None:
        """Note that something may have changed for every preview."""
        self.instances.mark(edited=stale != Stale.POSE)
        self.in_front.mark()
        for preview in self.previews:
            preview.mark(stale)

    def mark(self, uid: int, stale: Marks) -> None:
        """Note that the data-block with this session_uid has changed."""
        for preview in self.previews:
            if preview.watches(uid):
                preview.mark(stale)

    def hide_meshes(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """Keep Blender from drawing the meshes that previews stand in for, in the current evaluation; not while
        it makes a picture of its own.
        """
        if self.pictures.being_made:
            return
        hidden = self._hidden_in(scene)
        if hidden:
            self.pictures.watch()
            self.hidden_meshes.apply(hidden, depsgraph)

    def settle_meshes(self) -> None:
        """Have Blender draw meshes that previews no longer stand in for, and leave out those they now do. Not
        while drawing.
        """
        hidden = {uid for scene in bpy.data.scenes for uid in self._hidden_in(scene)}
        for uid in (uid for preview in self.previews for uid in preview.at_its_place):
            if uid not in hidden:
                self.hidden_meshes.show((uid,))
            elif uid not in self.hidden_meshes:
                self.hidden_meshes.update(uid)

    def update_meshes(self) -> None:
        """Decide again, for every preview, whether Blender draws its mesh: a setting has changed."""
        for preview in self.previews:
            self.hidden_meshes.show(preview.at_its_place)
        self.settle_meshes()
        redraw_views()

    def _hidden_in(self, scene: bpy.types.Scene) -> list[int]:
        """List the objects that Blender is kept from drawing in a scene, by session_uid."""
        hides = self.hides_in(scene)
        # Of a game-ready copy and its original, which are at one place, one is hidden in any case.
        previews = [one for one in self.previews if (hides or one.authored) and self._stands_in(one)]
        hidden = [one.uid for one in previews if hides]
        copies = [one for one in previews if one.authored is not None]
        if copies and not hides:
            # The original is Blender's mesh, unless there is no preview to compare.
            shown = self.settings_of(scene).shown
            return hidden + [one.uid if shown else one.authored.uid for one in copies if one.authored]
        return hidden + [one.authored.uid for one in copies if one.authored]

    def _stands_in(self, preview: Preview) -> bool:
        """Whether something is drawn in place of a mesh. While its own vertices are being edited they must be
        visible.
        """
        if preview.error or preview.paused or preview.binding is None:
            return False
        mesh_object = self.objects.find(preview.uid)
        return mesh_object is not None and mesh_object.mode == "OBJECT" and can_be_hidden(mesh_object)

    def switch_off_all(self, error: str) -> None:
        """End all previews after an error not of a single preview, and keep the sentence that says why."""
        for preview in self.previews:
            preview.switch_off(error)
        self.error = error


_session: ViewportSession | None = None


def open_session(
    settings_of: Callable[[bpy.types.Scene], PreviewSettings],
    hides_in: Callable[[bpy.types.Scene], bool] | None = None,
    cached_choices: Callable[[bpy.types.Scene], CachedChoices] = lambda _scene: CachedChoices(),
    crowd_choices: Callable[[bpy.types.Scene], CrowdChoices] = lambda _scene: CrowdChoices(),
) -> None:
    """Make the session; called when the extension is enabled. Creates no GPU objects."""
    global _session  # noqa: PLW0603 - the one root of all previews
    _session = ViewportSession(settings_of, hides_in, cached_choices, crowd_choices)


def close_session() -> None:
    """End all previews and drop the session; called when the extension is disabled."""
    global _session  # noqa: PLW0603
    if _session is not None:
        _session.cached.stop()
        _session.crowd.stop()
        _session.stop_all()
        _session.checks.close()
        _session.first_draws.cancel()
    _session = None


def current_session() -> ViewportSession:
    """Return the session of the enabled extension."""
    if _session is None:
        raise RuntimeError("Skinscope is not enabled.")
    return _session
