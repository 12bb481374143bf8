"""The arguments of `check`, and of `report`, which merges what several checks have written."""

from __future__ import annotations

import argparse

from .file_settings import asked_for
from .options import read_duration, read_jobs, read_memory, read_scheduler, read_shard, read_worker_files
from .shared_arguments import Parser, add_clips_from, add_device, add_playback, add_profile, add_reports


def add_check(commands: argparse._SubParsersAction[Parser], exit_status: str) -> Parser:
    """Add `check`."""
    check = commands.add_parser(
        "check",
        help="compare every skinned mesh of the files with Blender",
        description="Compare every skinned mesh of the files with Blender's own deformation, frame by frame.",
        epilog=exit_status,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    check.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help=".blend, .glb, .gltf, .vrm, .fbx, .usd*; a folder stands for all of them in it and below, and "
        "'heroes/**/*.blend' for those that match",
    )
    check.add_argument(
        "--files-from",
        metavar="LIST",
        help="file with more of these, one on each line; - for standard input",
    )
    check.add_argument(
        "--shard",
        metavar="K/N",
        type=read_shard,
        default=(1, 1),
        help="check only the Kth of N parts of the files, as on one of N machines; 'report' merges them",
    )
    add_settings(check)
    add_device(check)
    add_reports(check)
    check.add_argument(
        "--resume",
        action="store_true",
        help="go on with the report of JSON lines where an ended check left it",
    )
    check.add_argument(
        "--exit-zero",
        action="store_true",
        help="exit with 0 whatever is found, for a part of a check whose 'report' decides",
    )
    check.add_argument(
        "--cluster",
        metavar="ADDRESS",
        type=read_scheduler,
        help="check the files on a cluster: the address of a scheduler of Dask, such as tcp://HOST:8786",
    )
    check.add_argument(
        "--send-files",
        action="store_true",
        help="send each file to the cluster, whose machines don't see where it lies; without what it links to",
    )
    add_processes(check)
    check.add_argument(
        "--write-baseline", action="store_true", help="record all current problems in the baseline"
    )
    check.add_argument(
        "--baseline-prune",
        action="store_true",
        help="remove from the baseline what was fixed and files that are gone; add nothing",
    )
    return check


def add_settings(command: Parser) -> None:
    """Add what a file is measured and judged with."""
    add_profile(command, several=True)
    add_playback(command)
    add_clips_from(command)
    for name, asked in asked_for().items():
        if asked.option is not None:
            command.add_argument(f"--{name.replace('_', '-')}", **asked.option)


def add_processes(command: Parser) -> None:
    """Add how the processes that have Blender are used, and where settings are from."""
    command.add_argument(
        "--jobs",
        metavar="N",
        type=read_jobs,
        default=1,
        help="files to check at the same time (default: %(default)s)",
    )
    command.add_argument(
        "--timeout",
        metavar="TIME",
        type=read_duration,
        default=600.0,
        help=(
            "time limit for a file, such as 90s, 10m or 1h; a file that takes longer counts as one "
            "that can't be checked (default: 10m)"
        ),
    )
    command.add_argument(
        "--worker-files",
        metavar="N",
        type=read_worker_files,
        default=200,
        help="files that a Blender checks before another takes its place (default: %(default)s)",
    )
    command.add_argument(
        "--worker-memory",
        metavar="SIZE",
        type=read_memory,
        default=4 * 10**9,
        help="memory above which a Blender is replaced after a file, such as 500MB (default: 4GB)",
    )
    command.add_argument(
        "--config",
        metavar="TOML",
        help="settings for all files (default: the nearest skinscope.toml in each file's folder or above it)",
    )
    command.add_argument(
        "--no-baseline", action="store_true", help="ignore the baseline that the configuration names"
    )


def add_watch(commands: argparse._SubParsersAction[Parser], exit_status: str) -> Parser:
    """Add `watch`."""
    watch = commands.add_parser(
        "watch",
        help="check the files of a folder, and each again as soon as it is saved",
        description="Check files as 'check' does, then each again whenever it changes, and new ones as they "
        "come. Ctrl-C ends it; the exit status is that of the last results.",
        epilog=exit_status,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    watch.add_argument("files", metavar="FOLDER", nargs="+", help="folder, file or pattern, as of 'check'")
    watch.set_defaults(files_from=None)
    add_settings(watch)
    add_device(watch)
    add_processes(watch)
    return watch


def add_report(commands: argparse._SubParsersAction[Parser], exit_status: str) -> Parser:
    """Add `report`."""
    report = commands.add_parser(
        "report",
        help="merge the reports of several checks, or write one in another format",
        description="Merge reports that 'check' wrote as JSON or JSON lines, such as those of all shards, and "
        "write them in any format.",
        epilog=exit_status,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    report.add_argument("parts", metavar="PART", nargs="+", help="report in JSON or JSON lines")
    report.add_argument(
        "--mixed",
        action="store_true",
        help="also merge reports of different checks, or of different versions of Skinscope or Blender",
    )
    add_reports(report)
    return report
