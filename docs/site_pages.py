"""MkDocs calls this while it builds the site: the README becomes its first page, links to files outside the
documentation, which only a checkout has, become their names, and nothing is loaded from another host.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files  # pyright: ignore[reportMissingImports] - `./run docs` brings it

DOCS = Path(__file__).resolve().parent

CHECKOUT = DOCS.parent

ELSEWHERE = re.compile(r'<script src="?https://unpkg\.com/iframe-worker/shim"?></script>')
"""What the theme loads from another host, so that a page opened from a folder can search."""

WORKER = "site_worker.js"
"""Our own of the same purpose."""

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the README as the first page."""
    files.append(
        File.generated(config, "index.md", content=(CHECKOUT / "README.md").read_text(encoding="utf-8"))
    )
    return files


def on_page_markdown(markdown: str, page: Any, **_more: Any) -> str:
    """Return a page's text with its links as they are in the site."""
    folder = CHECKOUT if page.file.src_uri == "index.md" else (DOCS / page.file.src_uri).parent

    def linked(match: re.Match[str]) -> str:
        picture, text, target = match.groups()
        path, _, anchor = target.partition("#")
        if not path or "://" in target:
            return match[0]
        file = (folder / path).resolve()
        if not file.exists():
            # MkDocs says so.
            return match[0]
        if file.is_dir() or not file.is_relative_to(DOCS):
            return text
        way = Path(file).relative_to(DOCS).as_posix()
        here = Path(page.file.src_uri).parent.as_posix()
        up = "" if here == "." else "../" * len(Path(here).parts)
        return f"{picture}[{text}]({up}{way}{f'#{anchor}' if anchor else ''})"

    return LINK.sub(linked, markdown)


def on_post_page(output: str, page: Any, **_more: Any) -> str:
    """Return a page that loads nothing from elsewhere."""
    up = "../" * (len(Path(page.url).parts) - 1)
    return ELSEWHERE.sub(f'<script src="{up}{WORKER}"></script>', output)


def on_post_template(output_content: str, **_more: Any) -> str:
    """Return a page that is none of the documentation, such as that of a wrong address, likewise."""
    return ELSEWHERE.sub("", output_content)
