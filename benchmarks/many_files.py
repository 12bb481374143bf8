"""Checks many files: warm Blenders against a process for each file, shards and a merge, and a cluster of Dask.

    .venv/bin/python benchmarks/many_files.py RIGS [FILES] [COLD] [CLUSTER]

RIGS: a folder of characters, of which FILES (1,000) variants are written: each is opened, one of its vertex
groups gets a little weight, and it is saved as a .blend of its own. COLD (40): files that are checked by a
process each. CLUSTER (120): files that a cluster checks. Two Blenders at a time but on the cluster, on the
processor, under three.js. Prints files an hour of each way in one run, and the memory of the largest process;
it fails unless all ways come to the same.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
OPTIONS = ("--device=cpu", "--profile=threejs", "--frames=1:20:2")
VARIED = """
import random, sys
from pathlib import Path
import bpy
sys.path.insert(0, {checkout!r})
from skinning_addon.scene.files import open_file
sources = sorted(p for p in Path({rigs!r}).iterdir() if p.suffix in (".blend", ".glb", ".gltf", ".fbx"))
small = [p for p in sources if p.stat().st_size < 4e6]
for number in range({files}):
    open_file(str(small[number % len(small)]))
    meshes = [o for o in bpy.context.scene.objects if o.type == "MESH" and o.vertex_groups]
    random.seed(number)
    for mesh in meshes[:1]:
        group = random.choice(list(mesh.vertex_groups))
        group.add([random.randrange(len(mesh.data.vertices))], random.random() / 100, "ADD")
    bpy.ops.wm.save_as_mainfile(filepath={folder!r} + f"/rig-{{number:04}}.blend", compress=True)
"""


def run(*arguments: object, cwd: Path) -> float:
    """Run the program; return its seconds."""
    start = time.monotonic()
    result = subprocess.run(
        [sys.executable, "-P", "-m", "skinning_addon", *map(str, arguments)],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        check=False,
    )
    if result.returncode not in (0, 1):
        raise SystemExit(result.stderr.decode()[-2000:])
    return time.monotonic() - start


def lines_of(path: Path) -> dict[str, dict[str, Any]]:
    """Return the files of a report of JSON lines, without what depends on the machine's load."""
    files = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    timed = {"seconds", "seconds_left", "done", "of", "number"}
    return {one["file"]: {key: told for key, told in one.items() if key not in timed} for one in files}


def told(what: str, files: int, seconds: float) -> None:
    """Print a row."""
    rate = files / seconds * 3600
    print(f"{what:58} {files:6} files {seconds:8.0f} s {rate:8.0f} files an hour", flush=True)


def on_cluster(folder: Path, listed: str, workers: int) -> float:
    """Check listed files on a cluster of this machine; return its seconds. One of several workers is killed."""
    start = "import sys; sys.argv = ['dask', *sys.argv[1:]]; from dask.__main__ import main; main()"

    def started(*arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", start, *arguments],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    address = "tcp://127.0.0.1:18786"
    scheduler = started("scheduler", "--host=127.0.0.1", "--port=18786", "--no-dashboard")
    farm = [
        started("worker", address, "--nthreads=1", "--no-nanny", "--no-dashboard", "--memory-limit=0")
        for _ in range(workers)
    ]
    time.sleep(5)
    report = folder / f"cluster-{workers}.jsonl"
    begun = time.monotonic()
    program = [sys.executable, "-P", "-m", "skinning_addon", "check", f"--files-from={listed}", *OPTIONS]
    check = subprocess.Popen(
        [*program, f"--cluster={address}", f"--report=jsonl={report}"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        stdout=subprocess.DEVNULL,
    )
    if workers > 1:
        while not report.exists() or report.read_bytes().count(b"\n") < 20:
            time.sleep(0.2)
        farm[0].kill()
    check.wait()
    seconds = time.monotonic() - begun
    for one in (*farm, scheduler):
        one.kill()
        one.wait()
    return seconds


def main(rigs: str, files: int = 1000, cold: int = 40, cluster: int = 120) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = VARIED.format(checkout=str(CHECKOUT), rigs=rigs, files=files, folder=name)
        subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.DEVNULL)
        for list_name, count in (("list.txt", cold), ("cluster.txt", cluster)):
            names = [f"rig-{one:04}.blend" for one in range(min(count, files))]
            (folder / list_name).write_text("\n".join(names), encoding="utf-8")
        warm_some = run(
            "check", "--files-from=list.txt", *OPTIONS, "--jobs=2", "--report=jsonl=some.jsonl", cwd=folder
        )
        cold_some = run(
            *(
                "check",
                "--files-from=list.txt",
                *OPTIONS,
                "--jobs=2",
                "--worker-files=1",
                "--report=jsonl=cold.jsonl",
            ),
            cwd=folder,
        )
        told("two Blenders, each file after file", cold, warm_some)
        told("a Blender for each file, two at a time", cold, cold_some)
        assert lines_of(folder / "some.jsonl") == lines_of(folder / "cold.jsonl")
        cache = ("--cache=cache", "--jobs=2")
        warm = run("check", ".", *OPTIONS, *cache, "--report=jsonl=all.jsonl", cwd=folder)
        told("two Blenders, each file after file", files, warm)
        again = run("check", ".", *OPTIONS, *cache, "--report=jsonl=again.jsonl", cwd=folder)
        told("the same again, unchanged, from the cache", files, again)
        whole = lines_of(folder / "all.jsonl")
        assert lines_of(folder / "again.jsonl") == whole
        largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
        print(f"memory of the largest process: {largest:.0f} MB", flush=True)
        shards = [
            run(
                "check",
                ".",
                *OPTIONS,
                f"--shard={one}/4",
                "--cache=cache",
                f"--report=json=part{one}.json",
                cwd=folder,
            )
            for one in range(1, 5)
        ]
        merge = run(
            *("report", *(f"part{one}.json" for one in range(1, 5)), "--format=json", "--output=merged.json"),
            *("--summary=all.html",),
            cwd=folder,
        )
        told("a shard of four, from the cache", files // 4, max(shards))
        told("merging the four, as JSON and as a page", files, merge)
        merged = json.loads((folder / "merged.json").read_text(encoding="utf-8"))["files"]
        assert [one["file"] for one in merged] == sorted(whole)
        for workers in (1, 8):
            seconds = on_cluster(folder, "cluster.txt", workers)
            found = lines_of(folder / f"cluster-{workers}.jsonl")
            told(f"a cluster of {workers} on this machine", len(found), seconds)
            assert found == {name: whole[name] for name in found}
            assert len(found) == min(cluster, files)


if __name__ == "__main__":
    main(sys.argv[1], *(int(one) for one in sys.argv[2:]))
