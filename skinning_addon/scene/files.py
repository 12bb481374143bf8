"""Opening a character's file, in any format this Blender can read, and saving a copy of the open one.

A .blend is opened without its UI and without running its scripts. Everything else is imported into an empty
file. Any failure raises `SourceFileError` and leaves an empty file open.

Blender and its importers print freely to the standard streams; a caller that owns its standard output has to
redirect theirs first.
"""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bpy

from ..core.text.errors import OutputError, SourceFileError
from ..core.text.message import Message
from ..core.text.quoted import brief

ZSTANDARD_MAGIC = b"\x28\xb5\x2f\xfd"
"""The first bytes of a compressed .blend file."""


LFS_POINTER = b"version https://git-lfs.github.com/spec/"
"""How a file begins that stands for one that Git LFS has not fetched."""


@dataclass(frozen=True)
class BlenderOperator:
    """An operator that reads or writes files.

    operator: such as 'wm.fbx_import'. add_on: the module that provides it, None if it is built in.
    """

    operator: str
    add_on: str | None = None

    def function(self) -> Callable[..., set[str]] | None:
        """Return the operator, enabling its add-on for this session if needed; None if it doesn't exist."""
        if not self.is_registered and self.add_on is not None:
            # Not `addon_utils.enable`: the glTF add-on looks itself up in the preferences while being enabled.
            with contextlib.suppress(RuntimeError):
                bpy.ops.preferences.addon_enable(module=self.add_on)
        module, name = self.operator.split(".")
        return getattr(getattr(bpy.ops, module), name) if self.is_registered else None

    @property
    def is_registered(self) -> bool:
        """Whether it exists now."""
        module, name = self.operator.split(".")
        # `hasattr` is useless here: bpy.ops has an attribute for every name.
        return name in dir(getattr(bpy.ops, module))


_GLTF = (BlenderOperator("import_scene.gltf", "io_scene_gltf2"),)
# Blender 4.5 has both importers; from 5.0 on, the built-in one is the default.
_FBX = (BlenderOperator("wm.fbx_import"), BlenderOperator("import_scene.fbx", "io_scene_fbx"))
_USD = (BlenderOperator("wm.usd_import"),)

IMPORTERS: dict[str, tuple[BlenderOperator, ...]] = {
    # A VRM avatar is a binary glTF file with extensions for expressions and hair, which skinning doesn't need.
    ".glb": _GLTF,
    ".gltf": _GLTF,
    ".vrm": _GLTF,
    ".fbx": _FBX,
    ".usd": _USD,
    ".usda": _USD,
    ".usdc": _USD,
    ".usdz": _USD,
}
"""Importers to try for each extension, best first."""


def readable_extensions() -> tuple[str, ...]:
    """List the extensions that this Blender can read; some builds lack USD."""
    return (".blend", *(extension for extension in IMPORTERS if _import_function(extension) is not None))


def open_file(path: str | Path) -> None:
    """Open `path`: a .blend as it is, anything else by importing it into an empty file.

    Paths may contain spaces and letters of any script; the extension's case doesn't matter.

    Raises:
        SourceFileError: the file is missing, a folder, unreadable, broken, of an unknown kind, saved by a newer
            Blender, or needs an importer that this Blender lacks. An empty file is open afterwards.
    """
    path = Path(path).absolute()
    try:
        _refuse_unreadable(path)
        if path.suffix.lower() == ".blend":
            _open_blend(path)
        else:
            _import(path)
    except SourceFileError:
        open_empty_file()
        raise


def save_copy(path: Path) -> None:
    """Save a copy of the open file, which stays as it is.

    Raises:
        OutputError: it can't be written.
    """
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True, check_existing=False)
    except RuntimeError as error:
        raise OutputError(
            "A copy of this file can't be saved to '{path}' ({reason}); make room there.",
            path=path.parent,
            reason=str(error).strip(),
        ) from error


def open_empty_file() -> None:
    """Open a file with an empty scene and factory settings instead of the user's startup file.

    Add-ons stay enabled.
    """
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True, load_ui=False)


def _refuse_unreadable(path: Path) -> None:
    if path.is_dir():
        raise SourceFileError("'{path}' is a folder; choose a file in it.", path=path)
    extension = path.suffix.lower()
    if extension != ".blend" and extension not in IMPORTERS:
        kind = (
            Message("files ending in '{extension}'", extension=path.suffix)
            if path.suffix
            else Message("files without an extension")
        )
        raise SourceFileError(
            "'{path}' can't be read because {kind} are not supported; use {extensions}.",
            path=path,
            kind=kind,
            extensions=_listed(readable_extensions()),
        )
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            # Opening a pipe that nothing writes to blocks forever.
            raise SourceFileError(
                "'{path}' is a pipe or a device, not a file; save its output as a file.", path=path
            )
        with path.open("rb") as file:
            beginning = file.read(len(LFS_POINTER))
    except FileNotFoundError:
        raise SourceFileError("'{path}' does not exist; check the path.", path=path) from None
    except OSError as error:
        raise SourceFileError(
            "'{path}' can't be opened ({reason}); check its permissions.", path=path, reason=error.strerror
        ) from error
    if not beginning:
        raise SourceFileError("'{path}' is empty; save or export it again.", path=path)
    if beginning == LFS_POINTER:
        raise SourceFileError(
            "'{path}' is only a pointer of Git LFS, not the file itself; fetch it with 'git lfs pull'.",
            path=path,
        )


def _open_blend(path: Path) -> None:
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False, use_scripts=False)
    except UnicodeDecodeError as error:
        raise _unreadable_reason(path) from error
    except RuntimeError as error:
        reason = _reason(error, path)
        # "newer version" is Blender's own wording, from 4.3 on, for a format it doesn't know yet. 4.2 says that
        # a 5.0 file isn't a .blend at all, and if it is compressed, nothing tells whether that's true.
        if "newer version" in reason or (reason == "not a blend file" and _begins_like_a_blend(path)):
            if "newer version" in reason:
                raise SourceFileError(
                    "'{path}' was saved by a newer Blender than this one ({version}); use a newer Blender, "
                    "or export the character as .glb from there.",
                    path=path,
                    version=bpy.app.version_string,
                ) from error
            raise SourceFileError(
                "'{path}' was saved by a newer Blender than this one ({version}) or is damaged; use a "
                "newer Blender, or export the character as .glb from there.",
                path=path,
                version=bpy.app.version_string,
            ) from error
        raise SourceFileError(
            "'{path}' can't be read: {reason}; check that the file is complete, or export it again.",
            path=path,
            reason=reason,
        ) from error


def _begins_like_a_blend(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(7).startswith((b"BLENDER", ZSTANDARD_MAGIC))


def import_unshifted(path: str | Path, fps: int, fps_base: float) -> None:
    """Import a file into an empty one at a frame rate, with its animation at its own times: some importers
    would begin at frame 1.

    Raises:
        SourceFileError: as `open_file`.
    """
    path = Path(path).absolute()
    try:
        _refuse_unreadable(path)
        unshifted = {"anim_offset": 0.0} if path.suffix.lower() == ".fbx" else {}
        _import(path, (fps, fps_base), **unshifted)
    except SourceFileError:
        open_empty_file()
        raise


def _import(path: Path, rate: tuple[int, float] | None = None, **options: object) -> None:
    importer = _import_function(path.suffix.lower())
    if importer is None:
        raise SourceFileError(
            "'{path}' can't be read because this Blender ({version}) has no importer for {extension} "
            "files; use {extensions}.",
            path=path,
            version=bpy.app.version_string,
            extension=path.suffix,
            extensions=_listed(readable_extensions()),
        )
    open_empty_file()
    if rate is not None:
        render = bpy.context.scene.render
        render.fps, render.fps_base = rate
    try:
        result = importer(filepath=str(path), **options)
    except UnicodeDecodeError as error:
        raise _unreadable_reason(path) from error
    except RuntimeError as error:
        raise SourceFileError(
            "'{path}' can't be imported: {reason}; check that the file is complete, or export it again.",
            path=path,
            reason=_reason(error, path),
        ) from error
    if "FINISHED" not in result:
        raise SourceFileError(
            "'{path}' can't be imported because its importer gave up; check that the file is complete, or "
            "export it again.",
            path=path,
        )


def _import_function(extension: str) -> Callable[..., set[str]] | None:
    functions = (importer.function() for importer in IMPORTERS[extension])
    return next((function for function in functions if function is not None), None)


def _unreadable_reason(path: Path) -> SourceFileError:
    """Make the error for when Blender's reason contains the file's name, which is not valid Unicode."""
    return SourceFileError(
        "'{path}' can't be read, and Blender can't say why because its name is not valid Unicode; rename "
        "it, and check that the file is complete, or export it again.",
        path=path,
    )


def _reason(error: RuntimeError, path: Path) -> str:
    """Extract the reason from an operator's error: its reports, or the traceback of a Python importer."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("Location:")]
    if not lines:
        return Message("Blender gives no reason")
    if "Traceback (most recent call last)" in str(error):
        return Message("its importer failed ({reason})", reason=brief(lines[-1]))
    reason = lines[0].removeprefix("Error: ").rstrip(".")
    if str(path) in reason:
        # Our message already names the file; the reason follows the name, or else precedes it.
        before, _, behind = reason.rpartition(str(path))
        reason = behind.strip(" \"':,()") or before.strip(" \"':,(").removesuffix(" in file")
    # Importers quote the file's contents at any length.
    return brief(reason[:1].lower() + reason[1:] if reason[1:2].islower() else reason)


def _listed(names: tuple[str, ...]) -> str:
    return Message("{names} or {last}", names=", ".join(names[:-1]), last=names[-1])
