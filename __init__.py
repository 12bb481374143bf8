# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender enables. The imports wait for Blender's call: an eager one would load the add-on twice under
pytest.
"""


def register() -> None:
    from .skinning_addon import register

    register()


def unregister() -> None:
    from .skinning_addon import unregister

    unregister()
