"""Arguments: what `--help` shows, how values are read, and what `skinscope.toml` adds to them.

Read `parser`, `options` and `shared_arguments`; `config` reads the file, `check_settings` joins both for a
check.
"""
