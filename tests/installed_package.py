"""Lets code inside a desktop Blender import the installed extension's modules as `skinning_addon`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import bpy

PACKAGE = "skinning_addon"
EXTENSION = "bl_ext.user_default.skinscope"
CHECKOUT = Path(__file__).resolve().parent.parent


class InstalledPackageFinder(MetaPathFinder, Loader):
    """Resolves `import skinning_addon...` to the module that Blender knows by its long name, never to a second
    copy.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.own_specs: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == PACKAGE or fullname.startswith(f"{PACKAGE}."):
            return importlib.util.spec_from_loader(fullname, self)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(f"{EXTENSION}.{spec.name}")
        file = Path(module.__file__ or "").resolve()
        if not file.is_relative_to(self.folder) or file.is_relative_to(CHECKOUT):
            raise ImportError(
                f"{module.__name__} comes from {file}, not from the installed extension ({self.folder})"
            )
        self.own_specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The module has already run under its own name; the import system has just replaced its spec with the
        # alias's.
        alias = module.__spec__
        assert alias
        module.__spec__ = self.own_specs.pop(alias.name)


def name_installed_package() -> ModuleType:
    """Make `skinning_addon` an alias of the installed extension, and return it."""
    extensions = Path(bpy.utils.user_resource("EXTENSIONS")).resolve()
    sys.meta_path.insert(0, InstalledPackageFinder(extensions / "user_default" / "skinscope"))
    return importlib.import_module(PACKAGE)
