# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender enables. The imports wait for Blender's call: an eager one would load the add-on twice under
pytest.
"""

from typing import Any


class glTF2ExportUserExtension:
    """Told of a glTF export, by Blender's exporter, which makes one for each."""

    def __init__(self) -> None:
        self._export = None

    def gather_actions_hook(self, animated: Any, found: Any, settings: Any) -> None:
        """Called with the actions that an object is about to be written with."""
        from .skinning_addon.scene.exports.own_actions import leave_own_actions

        leave_own_actions(animated, found, settings)

    def gather_gltf_hook(self, *gathered: object) -> None:
        """Called when a file is about to be written; its settings come last."""
        from .skinning_addon.ui.engine.export_watch import watched_export

        self._export = watched_export(gathered[-1])

    def post_export_hook(self, *_settings: object) -> None:
        """Called when it is written; not by Blender 4.3 and before."""
        if self._export is not None:
            self._export.look()


def register() -> None:
    from .skinning_addon import register

    register()


def unregister() -> None:
    from .skinning_addon import unregister

    unregister()
