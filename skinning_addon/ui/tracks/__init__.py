"""A controller's script in the interface: tracks, keys, events.

Read `tracks_panel` and `tracks_lists`; `script_properties` turns properties into a script and back, and
`script_player` plays it.
"""
