"""What panels and operators share: the side bar's tab, wrapped sentences, tables, work in steps with progress.

Read `sidebar`, `wrapped_label` and `stepped_operator`; `focus` says which preview a panel is about.
"""
