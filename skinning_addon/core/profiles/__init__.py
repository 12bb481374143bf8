"""Engine profiles: what an exporter and an engine do to a skin, stage by stage.

`profile` holds the stages, `profile_file` reads them from TOML, `catalogue` finds the files, `weight_rules` applies to a
skin what its stages say. Those shipped lie in `data`; each names the source and version it was read in, and states nothing
that was not checked there.
"""
