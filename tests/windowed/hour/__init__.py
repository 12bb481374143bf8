"""An hour of work in the window, in sixty steps, with real mouse and key events and a look at each screen."""
