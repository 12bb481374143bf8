"""Skinscope: vertex skinning as a game engine's GPU does it, beside Blender's own.

The layers, each importing only those to its right:

    ui -> viewport -> measurement -> {drawing, scene} -> {core, animation}
    command_line -> measurement
"""


def register() -> None:
    """Make the extension known to Blender. Works without a GPU and makes no GPU objects.

    The imports wait for this call: `core` is to be used without Blender.
    """
    from .command_line import blender_command
    from .ui.registration import register_interface
    from .ui.settings.crowd_settings import crowd_choices
    from .ui.settings.properties import cached_choices, hides_mesh_in, preview_settings
    from .viewport.cached_events import add_cached_events
    from .viewport.draw_handlers import add_draw_handlers
    from .viewport.event_handlers import add_event_handlers
    from .viewport.session import open_session

    open_session(preview_settings, hides_mesh_in, cached_choices, crowd_choices)
    register_interface()
    add_event_handlers()
    add_cached_events()
    add_draw_handlers()
    blender_command.register()


def unregister() -> None:
    """Undo `register`, in reverse, and give back all that has been made since."""
    from .command_line import blender_command
    from .drawing.shader_library import free_shaders
    from .ui.registration import unregister_interface
    from .viewport.cached_events import remove_cached_events
    from .viewport.draw_handlers import remove_draw_handlers
    from .viewport.event_handlers import remove_event_handlers
    from .viewport.session import close_session

    blender_command.unregister()
    remove_draw_handlers()
    remove_cached_events()
    remove_event_handlers()
    unregister_interface()
    close_session()
    free_shaders()
