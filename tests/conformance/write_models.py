"""Writes the models and the manifest: `.venv/bin/python -m tests.conformance.write_models [FOLDER]`."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from tests.conformance.generator.model_files import model_files
from tests.conformance.generator.models import MODELS

HERE = Path(__file__).parent


def all_files() -> dict[str, bytes]:
    """Return the content of every generated file, by its path in this folder."""
    files, entries = {}, []
    for model in MODELS:
        made = model_files(model)
        files |= {f"Models/{model.name}/{name}": content for name, content in made.files.items()}
        entries.append(made.entry)
    files["manifest.json"] = _manifest(entries).encode()
    return files


def _manifest(entries: list[dict[str, object]]) -> str:
    models = ",\n".join(json.dumps(one, indent=1) for one in entries)
    return f'{{\n"$schema": "./manifest.schema.json",\n"version": 1,\n"models": [\n{models}\n]\n}}\n'


def main(folder: Path) -> None:
    """Replace the models and the manifest in a folder."""
    shutil.rmtree(folder / "Models", ignore_errors=True)
    for name, content in all_files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
