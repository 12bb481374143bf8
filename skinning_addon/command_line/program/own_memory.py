"""How much memory this process takes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, cast


def resident_bytes() -> int:
    """Return the bytes of memory that the process has in use; on macOS and other systems the most that it had
    so far. 0 if the system doesn't say.
    """
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    if sys.platform == "win32":
        return _working_set()
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # In kilobytes everywhere but on macOS.
    return most if sys.platform == "darwin" else most * 1024


def _working_set() -> int:
    import ctypes
    from ctypes import wintypes

    class Counters(ctypes.Structure):
        """PROCESS_MEMORY_COUNTERS of the Windows API."""

        _fields_ = (
            ("cb", wintypes.DWORD),
            ("page_faults", wintypes.DWORD),
            *((name, ctypes.c_size_t) for name in ("peak_working_set", "working_set", *"abcdef")),
        )

    counters = Counters()
    counters.cb = ctypes.sizeof(counters)
    # The type checker knows the libraries of one system.
    libraries = cast("Any", ctypes).windll
    process = libraries.kernel32.GetCurrentProcess()
    found = libraries.psapi.GetProcessMemoryInfo(
        wintypes.HANDLE(process), ctypes.byref(counters), counters.cb
    )
    return int(counters.working_set) if found else 0
