"""`skinscope check --cluster`."""

from __future__ import annotations

import argparse
from typing import TextIO

from ..checking.check import checked
from ..checking.workers import Limits
from .cluster import Cluster


def check_on_cluster(arguments: argparse.Namespace, output: TextIO) -> int:
    """Check the files on the cluster that was named; return the exit status.

    Raises:
        SkinscopeError: nothing can be checked at all, or the report can't be written.
    """
    with Cluster(arguments.cluster, Limits.of(arguments), sends=arguments.send_files) as cluster:
        return checked(arguments, output, cluster.answers)
