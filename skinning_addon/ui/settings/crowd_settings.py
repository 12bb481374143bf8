"""Settings of a scene's crowd."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ...animation.crowd.fixed_point import SCALE
from ...animation.crowd.kinds import LARGEST, MOST_SHARE, ROLE_NAMES, SMALLEST
from ...animation.crowd.settings import MOST_AGENTS
from ...animation.crowd.terrain import STEEPEST
from ...drawing.displays import DISPLAYS
from ...scene.clips.clips import list_clips
from ...scene.crowd.landscape import SLOPE
from ...scene.identification import identity
from ...viewport.choices.translation import CONTEXT
from ...viewport.crowds.choices import CrowdChoices, VariantChoices
from ...viewport.session import current_session

MILLIMETRES_IN_METRE = 1000

CROWD_DISPLAYS = frozenset({"base_color", "shaded", "wireframe"})
DISPLAY_ITEMS = [
    (one.name.upper(), one.label, one.description) for one in DISPLAYS if one.name in CROWD_DISPLAYS
]
SAMPLED_TOLD = (
    "The GPU poses everybody from clips that were sampled within a tolerance, except those who fade or visibly "
    "hold a foot: for thousands"
)
POSING_ITEMS = [
    ("EXACT", "Exact", "The processor poses everybody, as clips and fades say, and holds planted feet"),
    ("SAMPLED", "Sampled", SAMPLED_TOLD),
]


def _follow(_settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    current_session().crowd.refresh_soon()


def _is_armature(_settings: bpy.types.PropertyGroup, one: bpy.types.Object) -> bool:
    return one.type == "ARMATURE"


def _is_mesh(_settings: bpy.types.PropertyGroup, one: bpy.types.Object) -> bool:
    return one.type == "MESH"


def _search_clips(settings: bpy.types.PropertyGroup, context: bpy.types.Context, text: str) -> Iterable[str]:
    armature = getattr(settings, "armature", None)
    name = identity(armature) if armature else ""
    clips = (one.name for one in list_clips(context.scene) if name in one.armatures)
    return [one for one in clips if text.lower() in one.lower()]


def _idle_property() -> Any:
    return StringProperty(
        name="Idle",
        description="Clip to stand with; if empty, it is found by name",
        search=_search_clips,
        update=_follow,
    )


def _walk_property() -> Any:
    return StringProperty(
        name="Walk",
        translation_context=CONTEXT,
        description="Clip to walk with; if empty, it is found by name",
        search=_search_clips,
        update=_follow,
    )


def _run_property() -> Any:
    return StringProperty(
        name="Run",
        translation_context=CONTEXT,
        description="Clip to run with; if empty, it is found by name",
        search=_search_clips,
        update=_follow,
    )


class SKINSCOPE_PG_crowd_mesh(bpy.types.PropertyGroup):
    """A mesh that a variant doesn't have, by its name."""


class SKINSCOPE_PG_crowd_variant(bpy.types.PropertyGroup):
    """A character in a variant, as some of a crowd's agents are. Its name is what its list shows."""

    armature: PointerProperty(
        name="Character",
        description="Armature of another character; if empty, that of the crowd",
        type=bpy.types.Object,
        poll=_is_armature,
        update=_follow,
    )
    idle: _idle_property()
    walk: _walk_property()
    run: _run_property()
    share: IntProperty(
        name="Share",
        description="How many of all agents are so, in proportion to the shares of the others in the list",
        default=1,
        min=0,
        max=MOST_SHARE,
        update=_follow,
    )
    smallest: FloatProperty(
        name="Scale",
        description="The smallest that they are. Small ones take less room, and walk as much slower",
        default=1.0,
        min=SMALLEST / SCALE,
        max=LARGEST / SCALE,
        precision=2,
        update=_follow,
    )
    largest: FloatProperty(
        name="Up To",
        description="The largest that they are",
        default=1.0,
        min=SMALLEST / SCALE,
        max=LARGEST / SCALE,
        precision=2,
        update=_follow,
    )
    tint: FloatVectorProperty(
        name="Tint",
        description="What their colors are multiplied by",
        subtype="COLOR",
        size=3,
        default=(1.0, 1.0, 1.0),
        min=0.0,
        max=1.0,
        update=_follow,
    )
    without: CollectionProperty(
        type=SKINSCOPE_PG_crowd_mesh, name="Without", description="Meshes that they don't have"
    )


class SKINSCOPE_PG_crowd(bpy.types.PropertyGroup):
    """A crowd of characters."""

    is_on: BoolProperty(
        name="Crowd",
        description="Have many of a character walk about, played with the timeline. They are only drawn: "
        "nothing is added to the scene",
        default=False,
        update=_follow,
    )
    armature: PointerProperty(
        name="Character",
        description="Armature of the character, with clips to stand and to walk",
        type=bpy.types.Object,
        poll=_is_armature,
        update=_follow,
    )
    idle: _idle_property()
    walk: _walk_property()
    run: _run_property()
    variants: CollectionProperty(
        type=SKINSCOPE_PG_crowd_variant,
        name="Characters and Variants",
        description="Whom the crowd consists of; if empty, all are of its own character",
    )
    active_variant: IntProperty(name="Variant", description="The selected character or variant")
    count: IntProperty(
        name="Count",
        description="Number of agents",
        default=100,
        min=1,
        soft_max=10_000,
        max=MOST_AGENTS,
        update=_follow,
    )
    seed: IntProperty(
        name="Seed",
        description="The same seed gives the same crowd, on every machine",
        default=1,
        min=0,
        update=_follow,
    )
    side: FloatProperty(
        name="Area",
        translation_context=CONTEXT,
        description="Side of the square that agents walk about in; 0 for as much as they need",
        subtype="DISTANCE",
        default=0.0,
        min=0.0,
        update=_follow,
    )
    radius: FloatProperty(
        name="Radius",
        description="Around each agent, where no other may be; 0 for what its idle pose takes",
        subtype="DISTANCE",
        default=0.0,
        min=0.0,
        update=_follow,
    )
    ground: PointerProperty(
        name="Ground",
        description="Mesh to walk on: its topmost surface, around the origin. Holes and edges are borders. If "
        "none is chosen, a plane without end",
        type=bpy.types.Object,
        poll=_is_mesh,
        update=_follow,
    )
    slope: FloatProperty(
        name="Slope Limit",
        description="The steepest that the ground may be where agents walk",
        subtype="ANGLE",
        default=math.radians(SLOPE),
        min=math.radians(1.0),
        max=math.radians(STEEPEST),
        update=_follow,
    )
    obstacles: PointerProperty(
        name="Obstacles",
        description="Collection of meshes that stand in the way on the ground",
        type=bpy.types.Collection,
        update=_follow,
    )
    display: EnumProperty(
        name="Display",
        description="What to draw on agents",
        items=DISPLAY_ITEMS,
        default="BASE_COLOR",
        update=_follow,
    )
    posing: EnumProperty(
        name="Posing",
        translation_context=CONTEXT,
        description="Who computes the poses of agents",
        items=POSING_ITEMS,
        default="EXACT",
        update=_follow,
    )
    tolerance: FloatProperty(
        name="Tolerance (mm)",
        description="Millimetres that a vertex of a sampled clip may be off, on a character 1.8 m tall",
        default=1.0,
        min=0.01,
        soft_max=20.0,
        precision=2,
        update=_follow,
    )
    shares_poses: BoolProperty(
        name="Share Distant Poses",
        description="The GPU poses agents from shared samples wherever no vertex is off by more than a pixel",
        default=True,
        update=_follow,
    )
    sound: StringProperty(
        name="Footsteps",
        description="Sound file that is heard with each footstep while the timeline plays; if empty, none is",
        subtype="FILE_PATH",
        update=_follow,
    )
    inputs: StringProperty(
        name="Steering",
        description="What was steered, as data",
        options={"HIDDEN"},
        update=_follow,
    )


def crowd_settings(scene: bpy.types.Scene) -> SKINSCOPE_PG_crowd:
    """Return the settings of a scene's crowd."""
    return scene.skinscope.crowd  # pyright: ignore[reportAttributeAccessIssue]


def crowd_choices(scene: bpy.types.Scene) -> CrowdChoices:
    """Return what a scene asks of its crowd."""
    own, metres = crowd_settings(scene), scene.unit_settings.scale_length
    return CrowdChoices(
        is_on=own.is_on,
        armature=own.armature.session_uid if own.armature else 0,
        roles=_roles(own),
        count=own.count,
        seed=own.seed,
        side=own.side * metres,
        radius=own.radius * metres,
        display=own.display.lower(),
        sampled=own.posing == "SAMPLED",
        tolerance=own.tolerance / MILLIMETRES_IN_METRE,
        shares_poses=own.shares_poses,
        sound=bpy.path.abspath(own.sound) if own.sound else "",
        inputs=own.inputs,
        ground=own.ground.session_uid if own.ground else 0,
        # As it was typed: in radians and 32 bits it is not whole any more.
        slope=round(math.degrees(own.slope), 3),
        obstacles=own.obstacles.session_uid if own.obstacles else 0,
        variants=tuple(map(_variant, own.variants)),
    )


def _roles(own: SKINSCOPE_PG_crowd | SKINSCOPE_PG_crowd_variant) -> tuple[tuple[str, str], ...]:
    named = ((role, getattr(own, role)) for role in ROLE_NAMES)
    return tuple((role, clip) for role, clip in named if clip)


def _variant(own: SKINSCOPE_PG_crowd_variant) -> VariantChoices:
    red, green, blue = own.tint
    return VariantChoices(
        armature=own.armature.session_uid if own.armature else 0,
        roles=_roles(own) if own.armature else (),
        share=own.share,
        # As they were typed: in 32 bits they are others.
        scale=(round(own.smallest, 5), round(own.largest, 5)),
        without=tuple(one.name for one in own.without),
        tint=(red, green, blue),
    )
