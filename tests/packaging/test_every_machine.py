"""What would break on a system that this machine is not: POSIX without a guard, names and line ends that Windows
refuses, text in whatever encoding a system has.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

import pytest

from tests.installed_package import CHECKOUT
from tests.packaging.shipping import files_of

SHIPPED = sorted(
    name
    for name in files_of(CHECKOUT)
    if name.endswith(".py") and name.startswith(("skinning_addon/", "wheels/"))
)

POSIX_MODULES = {"fcntl", "grp", "pwd", "pty", "resource", "termios", "tty"}
POSIX_NAMES = {
    "os": {
        *("WNOHANG", "chown", "fork", "forkpty", "getegid", "geteuid", "getgid", "getpgid", "getuid"),
        *("killpg", "mkfifo", "mknod", "nice", "openpty", "posix_spawn", "sched_getaffinity", "setsid"),
        *("statvfs", "sysconf", "uname", "wait", "wait3", "wait4"),
    },
    "signal": {"SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGUSR1", "SIGUSR2", "alarm", "pause"},
}
GUARD = re.compile(r"\bos\.name\b|\bsys\.platform\b|\bhasattr\((os|signal), ")

NO_FILES = {"archive", "opener", "os", "webbrowser", "zipfile"}
"""Whose `open` takes no encoding."""


def parents_of(tree: ast.Module) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def posix_in(source: str) -> Iterator[str]:
    """Yield what only POSIX has, where nothing before or around it asks for the system."""
    tree = ast.parse(source)
    parents = parents_of(tree)
    for node in ast.walk(tree):
        name = _posix_name(node)
        if name and not _is_guarded(node, parents):
            yield f"line {getattr(node, 'lineno', 0)}: {name}"


def _posix_name(node: ast.AST) -> str:
    if isinstance(node, ast.Import):
        return next((one.name for one in node.names if one.name in POSIX_MODULES), "")
    if isinstance(node, ast.ImportFrom):
        return node.module if not node.level and node.module in POSIX_MODULES else ""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}" if node.attr in POSIX_NAMES.get(node.value.id, ()) else ""
    return ""


def _is_guarded(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether an `if` around it, or one before it that leaves the function, asks for the system."""
    while node in parents:
        parent = parents[node]
        if isinstance(parent, ast.If | ast.IfExp) and GUARD.search(ast.unparse(parent.test)):
            return True
        body = getattr(parent, "body", None)
        if isinstance(body, list) and node in body:
            for before in body[: body.index(node)]:
                leaves = isinstance(before, ast.If) and isinstance(before.body[-1], ast.Return | ast.Raise)
                if leaves and GUARD.search(ast.unparse(before.test)):
                    return True
        node = parent
    return False


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import resource", ["line 1: resource"]),
        ("import os\ndef f():\n    os.fork()", ["line 3: os.fork"]),
        ("import os\nif os.name == 'posix':\n    os.killpg(1, 9)", []),
        ("import sys\ndef f():\n    if sys.platform == 'win32':\n        return 1\n    import resource", []),
        (
            "import sys\ndef f():\n    if sys.platform == 'win32':\n        pass\n    import pwd",
            ["line 5: pwd"],
        ),
        ("from .resource import one", []),
    ],
)
def test_what_only_posix_has_is_found(source: str, found: list[str]):
    assert list(posix_in(source)) == found


@pytest.mark.parametrize("name", SHIPPED)
def test_what_only_posix_has_is_asked_for_first(name: str):
    assert list(posix_in((CHECKOUT / name).read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("name", SHIPPED)
def test_text_has_an_encoding_wherever_it_is_read_or_written(name: str):
    without = [
        f"line {node.lineno}: {ast.unparse(node.func)}"
        for node in ast.walk(ast.parse((CHECKOUT / name).read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _lacks_encoding(node)
    ]
    assert without == []


def _lacks_encoding(call: ast.Call) -> bool:
    """Whether a call reads or writes text as the system likes it: `open` and `Path.open` without "b" in the mode,
    `Path.read_text` and `Path.write_text`.
    """
    named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    of_text = named in {"read_text", "write_text"} and owner
    if not of_text and (named != "open" or owner in NO_FILES):
        return False
    given = [*call.args, *(one.value for one in call.keywords if one.arg == "mode")]
    modes = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    binary = named == "open" and any("b" in one for one in modes)
    return not binary and not any(one.arg == "encoding" for one in call.keywords)


FORBIDDEN = re.compile(r'[<>:"\\|?*\x00-\x1f]|[. ]$')
DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


def test_every_file_has_a_name_that_windows_takes():
    names = files_of(CHECKOUT)
    parts = {part for name in names for part in PurePosixPath(name).parts}
    assert [part for part in parts if FORBIDDEN.search(part) or DEVICES.fullmatch(part)] == []
    # A checkout lies somewhere, and Windows has 260 characters by default.
    assert [name for name in names if len(name) > 160] == []
    assert [name for name, count in Counter(map(str.lower, names)).items() if count > 1] == []


def test_scripts_have_the_line_ends_of_their_shells():
    """Whatever git is set to: .gitattributes says so."""
    for name, wanted in (
        ("run", "lf"),
        (".ci/run", "lf"),
        ("integrations/github-check", "lf"),
        ("run.cmd", "crlf"),
    ):
        command = ["git", "-c", "safe.directory=*", "check-attr", "eol", "--", name]
        told = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
        assert told == f"{name}: eol: {wanted}\n"
        content = (CHECKOUT / name).read_bytes()
        assert content.count(b"\r\n") == (content.count(b"\n") if wanted == "crlf" else 0)


def test_both_scripts_name_the_same_versions_and_groups():
    posix = (CHECKOUT / "run").read_text(encoding="utf-8")
    windows = (CHECKOUT / "run.cmd").read_text(encoding="utf-8")
    uv, mkdocs, material = re.findall(r"(?m)^(?:uv|mkdocs|mkdocs_material)_version=(\S+)$", posix)
    assert {f"uv=={uv}", f"mkdocs=={mkdocs}", f"mkdocs-material=={material}"} <= set(windows.split())
    (groups,) = re.findall(r"environment \.venv 3\.13 (.*)", posix)
    (own,) = re.findall(r"for %%g in \((.*)\)", windows)
    # Nothing drives a desktop Blender's window there.
    assert own.split() == [one for one in groups.split() if one != "desktop"]


def test_a_command_of_windows_is_one_of_posix():
    windows = (CHECKOUT / "run.cmd").read_text(encoding="utf-8")
    (known,) = re.findall(r"for %%c in \((.*)\)", windows)
    labels = set(re.findall(r"(?m)^:do_(\w+)", windows))
    assert labels == set(known.split()) - {"help"}
    posix = (CHECKOUT / "run").read_text(encoding="utf-8")
    assert all(re.search(rf"(?m)^{one}\)|\b{one}\b.*\)", posix) for one in labels)
    # Every label that is called or gone to is there.
    targets = set(re.findall(r"(?:goto|call) :?([a-z_]+)\b(?!%)", windows))
    assert targets - {"do_"} <= set(re.findall(r"(?m)^:(\w+)", windows))
