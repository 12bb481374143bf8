"""Shared by panels and operators: the sidebar's tab, wrapped sentences, tables, work in steps with progress.

Read `sidebar`, `wrapped_label` and `stepped_operator`; `focus` decides which preview a panel is about, and
`status_message` tells what a timer has to say, `header_text` what a modal operator is doing.
"""
