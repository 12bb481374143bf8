# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender enables. The imports wait for Blender's call: an eager one would load the add-on twice under
pytest.
"""


class glTF2ExportUserExtension:
    """Told of every glTF export, by Blender's exporter."""

    def gather_gltf_hook(self, *gathered: object) -> None:
        """Called when a file is about to be written; its settings come last."""
        from .skinning_addon.ui.engine.export_watch import watch_export

        watch_export(gathered[-1])


def register() -> None:
    from .skinning_addon import register

    register()


def unregister() -> None:
    from .skinning_addon import unregister

    unregister()
