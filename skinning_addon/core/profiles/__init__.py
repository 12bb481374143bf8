"""Engine profiles: what an exporter and an engine do to a skin, stage by stage.

`profile` holds the stages, `profile_file` reads them from TOML, `catalogue` finds the files, `weight_rules`
applies its stages to a skin, `exporter_settings` applies a user's own export settings to a profile, and
`binding` holds one mesh with all that deforms it under a profile. The shipped profiles are in `data`; each
names the source and version it was read from, and states nothing that was not checked there.
"""
