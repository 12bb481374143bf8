"""`skinscope report`: the reports of several checks as one."""
