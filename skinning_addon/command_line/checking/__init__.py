"""`skinscope check`: files checked in worker processes, so that a crash costs one file and nothing more.

Read `check`, `workers`, `worker_process` and `worker`, then `file_check`, which does the work; `result_cache` and
`baseline` say what need not be done or told again.
"""
