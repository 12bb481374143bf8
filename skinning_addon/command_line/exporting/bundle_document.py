"""A bundle's index, bundle.json: what is in which folder, and what is left out. docs/export-format.md
describes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

from ...core.profiles.profile import Profile
from ...core.text.identity import Identity
from ...core.text.message import counted
from ...core.verdicts.suppression import written
from ...measurement.bundles.bundle import MeshBundle
from ...measurement.bundles.engine_buffers import Arrays
from ...measurement.bundles.hierarchy_bundle import HierarchyBundle, RigidPartBundle, SkeletonBundle
from ...measurement.findings.suppressions import suppressions_of
from ...scene.identification import object_of
from ...scene.meshes.material_reader import list_materials
from ...scene.objects.carried_objects import LeftOut, SceneContents

NAMED_AT_MOST = 5
"""How many left-out objects the terminal names; bundle.json names all of them."""


@dataclass(frozen=True, eq=False)
class BundleContent:
    """Everything a bundle has a folder for: meshes, then armatures, then rigid parts. Folders are in the order
    of `entries`.
    """

    meshes: Sequence[MeshBundle]
    hierarchy: HierarchyBundle

    @cached_property
    def skeletons(self) -> tuple[SkeletonBundle, ...]:
        """Armatures that skin a mesh of the bundle, or carry a visible part of it."""
        used = {Identity.of(name) for one in self.meshes for name in one.binding.armatures}
        used |= {
            one.carried.armature
            for one in self.hierarchy.parts.values()
            if one.vertex_count and not one.problem
        }
        return tuple(one for name, one in self.hierarchy.skeletons.items() if name in used)

    @cached_property
    def parts(self) -> tuple[RigidPartBundle, ...]:
        """Rigid parts attached to these skeletons."""
        used = {one.armature for one in self.skeletons}
        return tuple(
            one for one in self.hierarchy.parts.values() if one.carried.armature in used and not one.problem
        )

    @property
    def entries(self) -> tuple[str, ...]:
        """Identities of the objects; empty if there is nothing to export."""
        return (
            *(one.binding.mesh_object for one in self.meshes),
            *(one.armature for one in self.skeletons),
            *(one.carried.object for one in self.parts),
        )

    def lists(self, folders: Sequence[str]) -> dict[str, object]:
        """Return the lists of bundle.json."""
        meshes, skeletons, parts = self._shared_out(folders)
        return {
            "meshes": [_mesh_entry(one, name) for one, name in zip(self.meshes, meshes, strict=True)],
            "skeletons": [
                {
                    **_named(one.armature, "armature"),
                    "folder": name,
                    "bones": len(one.skeleton.names),
                }
                for one, name in zip(self.skeletons, skeletons, strict=True)
            ],
            "parts": [_part_entry(one, name) for one, name in zip(self.parts, parts, strict=True)],
        }

    def files(self, folders: Sequence[str]) -> Iterator[tuple[str, Arrays]]:
        """Yield each file's arrays, and its path in the bundle."""
        meshes, skeletons, parts = self._shared_out(folders)
        for mesh, name in zip(self.meshes, meshes, strict=True):
            yield f"{name}/skin.npz", mesh.skin_arrays(with_bones=bool(self.skeletons))
            yield f"{name}/frames.npz", mesh.frame_arrays()
        for skeleton, name in zip(self.skeletons, skeletons, strict=True):
            yield f"{name}/skeleton.npz", skeleton.skeleton_arrays()
            yield f"{name}/frames.npz", skeleton.frame_arrays()
        for part, name in zip(self.parts, parts, strict=True):
            if part.vertex_count:
                yield f"{name}/part.npz", part.part_arrays()
            yield f"{name}/frames.npz", part.frame_arrays()

    def counts(self) -> Iterator[str]:
        """Summarise the counts."""
        yield counted(len(self.meshes), "mesh", "meshes")
        if self.parts:
            yield counted(len(self.parts), "part", "parts")
        if self.skeletons:
            bones = sum(len(one.skeleton.names) for one in self.skeletons)
            yield (
                f"{counted(len(self.skeletons), 'skeleton', 'skeletons')} of "
                f"{counted(bones, 'bone', 'bones')}"
            )

    def _shared_out(self, folders: Sequence[str]) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
        first, second = len(self.meshes), len(self.meshes) + len(self.skeletons)
        return folders[:first], folders[first:second], folders[second:]


def packing_entry(profile: Profile) -> dict[str, object]:
    """Return the entry that describes a profile's buffers."""
    return {
        "weights": profile.weights.format.value,
        "last_implied": profile.weights.last_implied,
        "normalised_by": profile.shader.normalise.value,
        "normals": profile.shader.normals.value,
        "index_bits": profile.palette.index_bits,
        "palette_rows": profile.palette.rows,
        "palette_entries": profile.palette.entries,
    }


def everything_left_out(
    refused: Mapping[str, str], contents: SceneContents, hierarchy: HierarchyBundle
) -> list[LeftOut]:
    """Join everything that can't be exported. refused: skins, and why; contents: the scene's; hierarchy: as
    collected.
    """
    left_out = [LeftOut(Identity.of(name), reason, of_character=True) for name, reason in refused.items()]
    for one in contents.carried:
        part = hierarchy.parts.get(one.object)
        if part is not None and part.problem:
            left_out.append(LeftOut(one.object, part.problem, of_character=True))
        elif not hierarchy.skeletons:
            left_out.append(LeftOut(one.object, _why_not_asked_for(one.object), of_character=False))
    return [*left_out, *contents.left_out]


def left_out_entry(one: LeftOut) -> dict[str, object]:
    """Return bundle.json's entry for something left out."""
    return {**_named(one.object), "reason": one.reason, "of_character": one.of_character}


def said_of_left_out(left_out: Sequence[LeftOut]) -> str:
    """Say in one line what is left out."""
    names = [f"'{one.object}'" for one in left_out[:NAMED_AT_MOST]]
    if len(left_out) > NAMED_AT_MOST:
        names.append(f"and {len(left_out) - NAMED_AT_MOST} more")
    return f"Left out, for the reasons in bundle.json: {', '.join(names)}."


def _why_not_asked_for(name: Identity) -> str:
    return f"'{name}' is carried by an armature, and --bones influencing exports only skins."


def _mesh_entry(bundle: MeshBundle, folder: str) -> dict[str, object]:
    binding = bundle.binding
    return {
        **_named(binding.mesh_object),
        **_named(binding.armatures[0], "armature"),
        "folder": folder,
        "vertices": binding.mesh.vertex_count,
        "joints": len(bundle.passes[0].joints),
        "exact": binding.exact,
        "reasons": [reason.message for reason in binding.reasons],
        "materials": _materials(binding.mesh_object),
        "suppressions": written(suppressions_of([object_of(binding.mesh_object)])[0]) or None,
        "passes": [
            {
                **_named(one.armature, "armature"),
                "blend": one.blend.value,
                "input": one.input.value,
                "masked": one.amount is not None,
            }
            for one in bundle.passes
        ],
    }


def _part_entry(part: RigidPartBundle, folder: str) -> dict[str, object]:
    carried = part.carried
    return {
        **_named(carried.object),
        "type": object_of(carried.object).type,
        **_named(carried.armature, "armature"),
        "parent": {**_named(carried.parent), "bone": carried.bone or None},
        "folder": folder,
        "vertices": part.vertex_count,
        "materials": _materials(carried.object),
    }


def _materials(name: str) -> list[dict[str, object]]:
    return [asdict(one) for one in list_materials(object_of(name))]


def _named(which: str, key: str = "object") -> dict[str, object]:
    """Return a name and a library under `object` and `library`, or `armature` and `armature_library`."""
    identity = Identity.of(which)
    return {key: identity.name, "library" if key == "object" else f"{key}_library": identity.library}
