"""Bones and other overlays that are shown *In Front*, and the 3D cursor, over previews.

Draw handlers run after Blender's overlays, so a preview covers bones, and bones in front leave no depth to
test against. So Blender draws them once more, into a picture, and that is drawn over previews: below gizmos
if it is up to date when the view is drawn, else over them until bones are at rest. Choosing what is in it has
Blender draw its views once more, so it is made only after a change.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Any

import bpy
from mathutils import Matrix

from ...drawing.gpu_state import preserved_state
from ...drawing.off_screen import Picture
from ...drawing.rectangle import Rectangle, RectangleBatch
from ..objects.in_front import SHADINGS, InFront, ShownInFront
from ..redraw import Later, is_playing_back, redraw_views

# The 3D cursor is not among them: a preview may cover it too, see CURSOR_IS_OVERLAY.
HIDDEN_OVERLAYS = (
    "show_annotation",
    "show_axis_x",
    "show_axis_y",
    "show_axis_z",
    "show_face_orientation",
    "show_floor",
    "show_motion_paths",
    "show_object_origins",
    "show_ortho_grid",
    "show_stats",
    "show_text",
    "show_wireframes",
)
"""Overlays that are no objects: they have their own depth, and are in the view already."""

CURSOR_IS_OVERLAY = bpy.app.version >= (4, 4)
"""Whether Blender draws the 3D cursor before draw handlers run; up to 4.3 it comes after them."""

SECONDS_AT_REST = 0.1
"""Seconds without a new picture after which bones count as at rest."""

OBJECT_TYPE = "show_object_viewport_"
"""What the properties for the types that a view shows begin with."""

LOOKS = (
    "bone_wire_alpha",
    "show_bones",
    "show_extras",
    "show_relationship_lines",
    "show_xray_bone",
    "xray_alpha_bone",
)
"""Overlay settings that change what is in the picture."""


@dataclass(frozen=True)
class _Key:
    """What a picture shows; another one needs another picture.

    changes: of objects; 0 without any. cursor: where the 3D cursor is, empty if it needs no picture.
    """

    changes: int
    shown: ShownInFront
    cursor: tuple[tuple[float, ...], ...]
    view: tuple[tuple[float, ...], ...]
    looks: tuple[Any, ...]

    @property
    def shows_nothing(self) -> bool:
        return not self.shown.types and not self.cursor


class BonesInFront:
    """Owns a picture for each region of a 3D view that needs one."""

    def __init__(self) -> None:
        self._pictures: dict[int, Picture] = {}
        self._keys: dict[int, _Key] = {}
        self._wanted: dict[int, tuple[int, int]] = {}
        self._due: dict[int, _Key] = {}
        self._rectangle: RectangleBatch | None = None
        self._make_later = Later(self._make_pictures)
        self._redraw_later = Later(self._redraw_at_rest)

    def draw_below_gizmos(self, context: bpy.types.Context, in_front: InFront) -> None:
        """Draw the picture over the previews of the context's region, if it is up to date. While Blender draws
        the view.
        """
        region = context.region.as_pointer()
        key = _key(context, in_front)
        if key.shows_nothing:
            self._forget(region)
        elif self._keys.get(region) == key:
            self._show(region)
        else:
            self._due[region] = key

    def draw_if_new(self, context: bpy.types.Context, in_front: InFront, *, plays: bool) -> None:
        """Make the picture and draw it, where `draw_below_gizmos` had none that is up to date. After Blender
        has drawn the view: it can't draw another one before. plays: whether Blender does.
        """
        region = context.region.as_pointer()
        key = self._due.pop(region, None)
        if key is None:
            return
        size = (context.region.width, context.region.height)
        picture = self._pictures.get(region)
        if picture is None or (picture.width, picture.height) != size:
            self._wanted[region] = size
            self._make_later.at(0.0)
            return
        _draw_objects(context, key.shown.types, in_front.types_there(), picture)
        self._keys[region] = key
        self._show(region)
        if not plays:
            # Next time below gizmos: once bones are at rest, or every frame would be drawn twice. While Blender
            # plays, it draws again for every frame, and when it stops.
            self._redraw_later.only_at(time.perf_counter() + SECONDS_AT_REST)

    def _redraw_at_rest(self) -> None:
        if not is_playing_back():
            redraw_views()

    def free(self) -> None:
        """Free the GPU memory."""
        self._make_later.cancel()
        self._redraw_later.cancel()
        for region in tuple(self._pictures):
            self._forget(region)
        if self._rectangle is not None:
            self._rectangle.free()
            self._rectangle = None

    def _show(self, region: int) -> None:
        if self._rectangle is None:
            self._rectangle = RectangleBatch()
        picture = self._pictures[region]
        size = (picture.width, picture.height)
        self._rectangle.draw_picture(size, Rectangle(0.0, 0.0, *size), picture.offscreen.texture_color)

    def _make_pictures(self) -> None:
        """Make the pictures that regions wait for. By a timer: made while drawing, they unbind the view."""
        wanted, self._wanted = self._wanted, {}
        there = {region.as_pointer() for region in _regions()}
        for region in (*wanted, *(one for one in self._pictures if one not in there)):
            self._forget(region)
        for region, size in wanted.items():
            if region in there:
                self._pictures[region] = Picture(*size)
        redraw_views()

    def _forget(self, region: int) -> None:
        self._keys.pop(region, None)
        self._due.pop(region, None)
        if picture := self._pictures.pop(region, None):
            picture.free()


def _key(context: bpy.types.Context, in_front: InFront) -> _Key:
    overlay, shown = context.space_data.overlay, in_front.shown_in(context)
    return _Key(
        in_front.changes if shown.types else 0,
        shown,
        _rows(context.scene.cursor.matrix) if _covers_cursor(context.space_data) else (),
        _rows(context.region_data.perspective_matrix),
        _looks()(overlay),
    )


@cache
def _looks() -> attrgetter[tuple[Any, ...]]:
    """Return what reads those of LOOKS that this Blender has, at once."""
    return attrgetter(*_in_this_blender(LOOKS))


@cache
def _hidden_overlays() -> tuple[tuple[str, ...], attrgetter[tuple[Any, ...]]]:
    """Return those of HIDDEN_OVERLAYS that this Blender has, and what reads all of them at once."""
    names = _in_this_blender(HIDDEN_OVERLAYS)
    return names, attrgetter(*names)


def _in_this_blender(overlays: Iterable[str]) -> tuple[str, ...]:
    there = bpy.types.View3DOverlay.bl_rna.properties
    return tuple(name for name in overlays if name in there)


def _covers_cursor(space: bpy.types.SpaceView3D) -> bool:
    """Whether a view shows the 3D cursor, and previews may cover it."""
    overlay = space.overlay
    return (
        CURSOR_IS_OVERLAY and overlay.show_overlays and overlay.show_cursor and space.shading.type in SHADINGS
    )


def _rows(matrix: Matrix) -> tuple[tuple[float, ...], ...]:
    return matrix[0][:], matrix[1][:], matrix[2][:], matrix[3][:]


def _regions() -> Iterator[bpy.types.Region]:
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                yield from area.regions


def _draw_objects(
    context: bpy.types.Context, types: frozenset[str], there: frozenset[str], picture: Picture
) -> None:
    """Have Blender draw only objects of these types into the picture, over nothing. there: all types of objects
    that the file has.
    """
    picture.fill((0.0, 0.0, 0.0, 0.0))
    with preserved_state(), _ShowingOnly(context, there - types):
        _draw_view(context, picture)


def _draw_view(context: bpy.types.Context, picture: Picture) -> None:
    region = context.region_data
    picture.offscreen.draw_view3d(
        context.scene,
        context.view_layer,
        context.space_data,
        context.region,
        region.view_matrix,
        region.window_matrix,
        do_color_management=True,
        draw_background=False,
    )


@cache
def _switch_of(type_: str) -> str | None:
    """Return a 3D view's property for the objects of a type; None if it has none."""
    name = OBJECT_TYPE + type_.lower()
    return name if name in bpy.types.SpaceView3D.bl_rna.properties else None


class _ShowingOnly:
    """Has a 3D view show neither objects of some types nor other overlays, and afterwards what it did before.

    Not a generator, which takes longer: while Blender plays, every frame has a picture.
    """

    def __init__(self, context: bpy.types.Context, hidden: Iterable[str]) -> None:
        self._overlay = context.space_data.overlay
        self._spaces = context.area.spaces
        self._space = context.space_data
        self._hidden = hidden
        self._overlays: list[str] = []
        self._switches: list[str] = []

    def __enter__(self) -> None:
        try:
            self._hide()
        except BaseException:
            self.__exit__()
            raise

    def _hide(self) -> None:
        names, read = _hidden_overlays()
        for name, is_shown in zip(names, read(self._overlay), strict=True):
            if is_shown:
                self._overlays.append(name)
                setattr(self._overlay, name, False)
        for switch in map(_switch_of, self._hidden):
            if switch is not None and getattr(self._space, switch):
                self._switches.append(switch)
                self._set(switch, shown=False)

    def __exit__(self, *_: object) -> None:
        for name in self._overlays:
            setattr(self._overlay, name, True)
        for switch in self._switches:
            self._set(switch, shown=True)

    def _set(self, switch: str, *, shown: bool) -> None:
        if len(self._spaces) == 1:
            # In bulk: otherwise Blender would evaluate the scene again, to no effect.
            self._spaces.foreach_set(switch, (shown,))
        else:
            # Those of other editors, which the area has been before, have no such property.
            setattr(self._space, switch, shown)
