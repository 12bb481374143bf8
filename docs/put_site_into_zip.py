"""Puts the site into a built extension, for *Online Manual*: python docs/put_site_into_zip.py ZIP."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

SITE = Path(__file__).resolve().parents[1] / "dist" / "site"

FOLDER = "docs/site"

LEFT_OUT = (".map", ".gz", "404.html", "sitemap.xml")
"""Ends of names of what only a server or a developer of the theme has a use for."""


def put_site(extension: Path, site: Path = SITE) -> None:
    """Add the site's files to the zip."""
    with zipfile.ZipFile(extension, "a", zipfile.ZIP_DEFLATED, compresslevel=9) as built:
        for path in sorted(site.rglob("*")):
            name = path.relative_to(site).as_posix()
            if path.is_file() and not name.endswith(LEFT_OUT):
                built.write(path, f"{FOLDER}/{name}")


if __name__ == "__main__":
    put_site(Path(sys.argv[1]))
