"""Settings of Blender's exporters, by the names that its operators and saved presets give them, applied to a
profile: "this is how I export".

Only settings that change where a vertex ends up are here; all others are rejected, so that none is
taken for considered. Names and defaults are those of Blender 4.2 to 5.2 (io_scene_gltf2, io_scene_fbx,
wm.usd_export).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from ..text.errors import ProfileError
from ..text.message import Message
from ..text.quoted import brief, shown
from ..text.value_readers import FLAG, Reader, number, one_of, whole
from .export_options import AnimationMode, GltfOptions, NegativeFrames
from .hierarchy import HierarchyRule
from .profile import MOST_INFLUENCES, Exporter, FileFormat, Group, MeshMotion, Profile

GLTF_INFLUENCES = 4
"""The glTF exporter's default for influences per vertex."""


@dataclass(frozen=True)
class ExporterSetting:
    """A setting of one of Blender's exporters.

    label: as in its panel. effect: what it does to a deformation. value_of: reads it off a profile. apply:
    returns the profile of somebody who exports with this value, which `reader` accepts.
    """

    name: str
    label: str
    effect: str
    format: FileFormat
    reader: Reader
    value_of: Callable[[Profile], Any]
    apply: Callable[[Profile, Any], Profile]

    @property
    def default(self) -> Any:
        """Blender's own default."""
        return self.value_of(_USUAL[self.format])

    def check(self, value: object) -> None:
        """Check a value.

        Raises:
            ProfileError: it is not allowed.
        """
        if self.reader.read(value) is None:
            raise ProfileError(
                "{key} is {value}; it must be {allowed}.",
                key=self.name,
                value=shown(value),
                allowed=self.reader.allowed,
            )


def _usual(exporter: Exporter) -> Profile:
    return Profile("", "", Group.ENGINE, "", (), exporter=exporter)


_USUAL = {
    FileFormat.GLTF: _usual(Exporter(FileFormat.GLTF, GLTF_INFLUENCES)),
    FileFormat.FBX: _usual(Exporter(FileFormat.FBX)),
    FileFormat.USD: _usual(Exporter(FileFormat.USD)),
}
"""Profiles that lose nothing but what the exporters leave out by default."""


def _influences(profile: Profile) -> int:
    return profile.exporter.influences or GLTF_INFLUENCES


def _with_influences(profile: Profile, value: int) -> Profile:
    # More than a profile can count are as many as all.
    kept = value if value <= MOST_INFLUENCES else None
    return replace(profile, exporter=replace(profile.exporter, influences=kept))


def _with_all_influences(profile: Profile, value: bool) -> Profile:
    if value:
        return replace(profile, exporter=replace(profile.exporter, influences=None))
    return _with_influences(profile, _influences(profile))


def _with_deform_bones(profile: Profile, value: bool) -> Profile:
    return replace(profile, exporter=replace(profile.exporter, deform_bones_only=value))


def _with_sampling(profile: Profile, value: bool) -> Profile:
    chosen = profile.export_options
    if isinstance(chosen, GltfOptions):
        profile = replace(profile, exported_with=replace(chosen, samples=value))
    # Curves are relative to bones' parents, so the exporter leaves out none.
    return profile if value else _with_deform_bones(profile, value=False)


def _with_flattened(profile: Profile, value: bool) -> Profile:
    if value:
        return replace(profile, hierarchy=HierarchyRule.FLATTENED)
    is_flattened = profile.hierarchy is HierarchyRule.FLATTENED
    return replace(profile, hierarchy=HierarchyRule.TRS) if is_flattened else profile


def _with_current_frame(profile: Profile, value: bool) -> Profile:
    motion = MeshMotion.CURRENT_FRAME if value else MeshMotion.FRAME_0
    chosen = profile.export_options
    if isinstance(chosen, GltfOptions):
        chosen = replace(chosen, current_frame=value)
    return replace(profile, lost=replace(profile.lost, mesh_motion=motion), exported_with=chosen)


_GLTF, _FBX, _USD = FileFormat.GLTF, FileFormat.FBX, FileFormat.USD


def _option(name: str, field: str, label: str, effect: str, reader: Reader = FLAG) -> ExporterSetting:
    """Make the setting that is a field of the exporter's options."""

    def value_of(profile: Profile) -> object:
        value = getattr(profile.export_options, field)
        return value.value if isinstance(value, Enum) else value

    def apply(profile: Profile, value: object) -> Profile:
        chosen = profile.export_options
        if chosen is None:
            return profile
        return replace(profile, exported_with=replace(chosen, **{field: reader.read(value)}))

    # The glTF exporter's options all begin like this, those of FBX don't.
    kind = _GLTF if name.startswith("export_") else _FBX
    return ExporterSetting(name, label, effect, kind, reader, value_of, apply)


def _deform_only(name: str, label: str, effect: str, kind: FileFormat) -> ExporterSetting:
    def value_of(profile: Profile) -> bool:
        return profile.exporter.deform_bones_only

    return ExporterSetting(name, label, effect, kind, FLAG, value_of, _with_deform_bones)


# In the order in which they apply: a number of influences has no effect beside all of them.
_ALL = (
    ExporterSetting(
        "export_influence_nb",
        "Bone Influences",
        Message("Influences to write per vertex; the smaller ones are dropped"),
        _GLTF,
        whole(1, 2**31 - 1),
        _influences,
        _with_influences,
    ),
    ExporterSetting(
        "export_all_influences",
        "Include All Bone Influences",
        Message("Write all influences of a vertex, whatever their number; the engine may still drop some"),
        _GLTF,
        FLAG,
        lambda profile: profile.exporter.influences is None,
        _with_all_influences,
    ),
    _deform_only(
        "export_def_bones",
        "Export Deformation Bones Only",
        Message(
            "Leave out bones that don't deform; their children are stored relative to the next bone above"
        ),
        _GLTF,
    ),
    ExporterSetting(
        "export_hierarchy_flatten_bones",
        "Flatten Bone Hierarchy",
        Message("Store each bone relative to the armature, so that no shear of its parents is lost"),
        _GLTF,
        FLAG,
        lambda profile: profile.hierarchy is HierarchyRule.FLATTENED,
        _with_flattened,
    ),
    _option(
        "export_apply",
        "apply_modifiers",
        "Apply Modifiers",
        Message("Apply modifiers other than Armature, such as Mirror and Subdivision Surface"),
    ),
    _option(
        "export_animation_mode",
        "mode",
        "Animation Mode",
        Message("What becomes an animation in the file"),
        one_of(AnimationMode),
    ),
    _option(
        "export_reset_pose_bones",
        "reset_pose_bones",
        "Reset Pose Bones Between Actions",
        Message("Put bones that an action doesn't key at rest when the exporter switches to that action"),
    ),
    _option(
        "export_anim_single_armature",
        "single_armature",
        "Export all Armature Actions",
        Message("Write all actions for the armature if it is the only one"),
    ),
    _option(
        "export_bake_animation",
        "bake_animation",
        "Bake All Objects Animations",
        Message("Also write armatures that have no action but are moved by constraints or drivers"),
    ),
    ExporterSetting(
        "export_current_frame",
        "Use Current Frame as Object Rest Transformations",
        Message("Hold meshes that move relative to their armatures where they are now, not at frame 0"),
        _GLTF,
        FLAG,
        lambda profile: profile.lost.mesh_motion is MeshMotion.CURRENT_FRAME,
        _with_current_frame,
    ),
    _option(
        "export_frame_step",
        "frame_step",
        "Sampling Rate",
        Message("Frames from one key to the next; between keys, engines interpolate"),
        whole(1, 120),
    ),
    _option(
        "export_frame_range",
        "playback_range",
        "Limit to Playback Range",
        Message("Leave out keys outside the scene's frame range; there, engines hold the nearest one"),
    ),
    _option(
        "export_negative_frame",
        "negative_frames",
        "Negative Frames",
        Message("What becomes of keys before frame 0"),
        one_of(NegativeFrames),
    ),
    ExporterSetting(
        "export_force_sampling",
        "Always Sample Animations",
        Message("Write a key for every frame; without it, curves are written as they are, with all bones"),
        _GLTF,
        FLAG,
        lambda profile: not isinstance(profile.export_options, GltfOptions) or profile.export_options.samples,
        _with_sampling,
    ),
    _deform_only(
        "use_armature_deform_only",
        "Only Deform Bones",
        Message("Leave out bones that neither deform nor have a child that does"),
        _FBX,
    ),
    _option(
        "use_mesh_modifiers",
        "use_mesh_modifiers",
        "Apply Modifiers",
        Message("Apply modifiers other than Armature, such as Mirror and Subdivision Surface"),
    ),
    _option(
        "bake_anim",
        "bake_anim",
        "Baked Animation",
        Message("Write animation, with a key on every frame"),
    ),
    _option(
        "bake_anim_use_nla_strips",
        "use_nla_strips",
        "NLA Strips",
        Message("Write each NLA strip as an animation of its own"),
    ),
    _option(
        "bake_anim_use_all_actions",
        "use_all_actions",
        "All Actions",
        Message("Write each action as an animation of its own"),
    ),
    _option(
        "bake_anim_simplify_factor",
        "simplify_factor",
        "Simplify",
        Message("How readily keys are left out; 0 keeps the key of every frame"),
        number(0, 100),
    ),
    _deform_only(
        "only_deform_bones",
        "Only Deform Bones",
        Message("Leave out bones that neither deform nor have a child that does"),
        _USD,
    ),
)

SETTINGS: Mapping[str, ExporterSetting] = {one.name: one for one in _ALL}
"""All settings by name."""


def settings_of(profile: Profile) -> tuple[ExporterSetting, ...]:
    """Return the settings of the exporter that a profile's file is written by, in order."""
    return tuple(one for one in _ALL if one.format is profile.exporter.format)


def checked(values: Mapping[str, object]) -> Mapping[str, object]:
    """Return settings by name as they are.

    Raises:
        ProfileError: there is no such setting, or its value is not allowed.
    """
    for name, value in values.items():
        if name not in SETTINGS:
            raise ProfileError(
                "'{name}' is not a setting of Blender's exporters that changes how a mesh deforms; those are "
                "{names}.",
                name=brief(name),
                names=", ".join(SETTINGS),
            )
        SETTINGS[name].check(value)
    return values


def exported_so(profile: Profile, values: Mapping[str, object]) -> Profile:
    """Return the profile for files exported with these settings (`checked`); those of other exporters don't
    affect it.
    """
    own = [one for one in settings_of(profile) if one.name in values]
    for one in own:
        profile = one.apply(profile, values[one.name])
    return replace(profile, exporter_settings=tuple((one.name, values[one.name]) for one in own))


def values_of(profile: Profile) -> dict[str, object]:
    """Return the values that a profile assumes for all settings of its exporter, by name."""
    return {one.name: one.value_of(profile) for one in settings_of(profile)}


def told(settings: Iterable[tuple[str, object]]) -> str:
    """Return settings as the command line takes them: 'export_def_bones=true, export_influence_nb=8'."""
    return ", ".join(f"{name}={_text(value)}" for name, value in settings)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
