"""`skinscope check`: checks files in worker processes, so that a crash costs only one file.

Read `check`, `workers`, `worker_process` and `worker`, then `file_check`, which does the work; `result_cache`
and `baseline` decide what need not be checked or reported again.
"""
