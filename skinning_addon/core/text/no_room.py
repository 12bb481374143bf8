"""What operating systems say where there is no room for a file."""

from __future__ import annotations

import errno

NO_ROOM = (errno.ENOSPC, errno.EFBIG, *((errno.EDQUOT,) if hasattr(errno, "EDQUOT") else ()))
"""Numbers of errors."""
