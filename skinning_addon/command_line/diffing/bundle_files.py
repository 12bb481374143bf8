"""A bundle that `export` wrote, read back. Nothing here needs Blender."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ...core.text.documents import DocumentError, read_arrays, read_json
from ...core.text.errors import ConfigError
from ...core.text.identity import Identity
from ...core.text.quoted import brief
from ...core.verdicts.rules import RULES
from ...core.verdicts.suppression import Suppression, read_property
from ..arguments.nearest_names import no_such
from .bundle_contents import NEEDED, wrong_with_arrays, wrong_with_document

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Bundle:
    """document: the content of bundle.json. folder: where it is."""

    folder: Path
    document: Mapping[str, Any]

    @property
    def profile(self) -> str:
        return str(self.document["profile"])

    @property
    def metres_per_unit(self) -> float:
        return float(self.document["unit_scale"])

    def find_mesh(self, name: str) -> Mapping[str, Any]:
        """Return the bundle's entry for a mesh object; without a name, its only one.

        name: of the object, with its library if several have that name: 'Body (characters/hero.blend)'.

        Raises:
            ConfigError: none has that name, or there are several and no name was given.
        """
        meshes = {str(Identity(one["object"], one.get("library"))): one for one in self.document["meshes"]}
        fit = {text: one for text, one in meshes.items() if not name or name in (text, one["object"])}
        if not fit:
            raise ConfigError(f"'{self.folder}': {no_such('mesh of the bundle', name, tuple(meshes))}")
        if name in fit:
            return fit[name]
        if len(fit) > 1:
            called = f" called '{name}'" * bool(name)
            raise ConfigError(
                f"'{self.folder}' has {len(fit)} meshes{called} ({', '.join(fit)}); name one with --mesh."
            )
        return next(iter(fit.values()))

    def suppressions(self, mesh: Mapping[str, Any]) -> tuple[Suppression, ...]:
        """Return what the mesh object carried when it was exported.

        Raises:
            ConfigError: it can't be read.
        """
        carried = mesh.get("suppressions")
        if carried is None:
            return ()
        try:
            return read_property(carried, Identity.of(mesh["object"]), RULES)
        except ConfigError as error:
            raise ConfigError(
                f"'{self.folder / 'bundle.json'}': suppressions of '{mesh['object']}': {error.args[0]}."
            ) from error

    def arrays(self, mesh: Mapping[str, Any]) -> Arrays:
        """Return the arrays of a mesh's skin and frames.

        Raises:
            ConfigError: they are missing or incomplete.
        """
        folder = self.folder / mesh["folder"]
        arrays = {file: _load(folder / file, needed) for file, needed in NEEDED.items()}
        if wrong := wrong_with_arrays(arrays, int(mesh["joints"])):
            file, sentence = wrong
            raise ConfigError(f"'{folder / file}': {sentence}; export the bundle again.")
        return {name: array for held in arrays.values() for name, array in held.items()}


def read_bundle(folder: str) -> Bundle:
    """Read a bundle's index.

    Raises:
        ConfigError: the folder has none.
    """
    path = Path(folder) / "bundle.json"
    try:
        document = read_json(path)
    except DocumentError as error:
        if error.unopened:
            raise ConfigError(
                f"'{brief(folder)}' is not a bundle ({path.name}: {error}); name a folder that 'skinscope "
                f"export' wrote."
            ) from error
        raise ConfigError(
            f"'{path}' is not what 'skinscope export' writes ({error}); export it again."
        ) from error
    if wrong := wrong_with_document(document):
        raise ConfigError(f"'{path}' is not what 'skinscope export' writes ({wrong}); export it again.")
    if not document["meshes"]:
        raise ConfigError(f"The bundle '{folder}' has no mesh; export a file that has one.")
    return Bundle(Path(folder), document)


def _load(path: Path, needed: Mapping[str, object]) -> dict[str, NDArray[Any]]:
    try:
        arrays = read_arrays(path)
    except DocumentError as error:
        raise ConfigError(f"'{path}' can't be read ({error}); export the bundle again.") from error
    missing = [name for name in needed if name not in arrays]
    if missing:
        raise ConfigError(f"'{path}' lacks '{missing[0]}'; export the bundle again with this version.")
    return arrays
