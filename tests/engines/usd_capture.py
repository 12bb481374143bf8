"""Captures a USD file's meshes skinned by OpenUSD (UsdSkel) on the CPU; called as capture.py says. Files are Z up
here, as Blender writes them, and so are the positions.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
from glb_file import write_capture

# Threads that free a stage's data sometimes crash while the process ends.
os.environ["PXR_WORK_THREAD_LIMIT"] = "1"

from pxr import Usd, UsdGeom, UsdSkel


def sources(mesh: UsdGeom.Mesh, count: int) -> list[int]:
    """Return which original vertex each is: the attribute _SOURCE, or its own number."""
    numbers = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("_SOURCE")
    return [round(one) for one in numbers.Get()] if numbers and numbers.HasValue() else list(range(count))


def main(file: Path, times_file: Path, head_file: Path, data_file: Path) -> None:
    times = json.loads(times_file.read_text(encoding="utf-8"))
    stage = Usd.Stage.Open(str(file))
    cache = UsdSkel.Cache()
    head, positions = [], []
    for root in (prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Root)):
        skel_root = UsdSkel.Root(root)
        cache.Populate(skel_root, Usd.TraverseInstanceProxies())
        for binding in cache.ComputeSkelBindings(skel_root, Usd.TraverseInstanceProxies()):
            skeleton = cache.GetSkelQuery(binding.GetSkeleton())
            for target in binding.GetSkinningTargets():
                mesh = UsdGeom.Mesh(target.GetPrim())
                rest = mesh.GetPointsAttr().Get()
                captured = []
                for time in times:
                    code = Usd.TimeCode(time * stage.GetTimeCodesPerSecond())
                    points = type(rest)(mesh.GetPointsAttr().Get(code))
                    transforms = skeleton.ComputeSkinningTransforms(code)
                    target.ComputeSkinnedPoints(transforms, points, code)
                    # In the skeleton's space.
                    matrix = UsdGeom.Xformable(skeleton.GetPrim()).ComputeLocalToWorldTransform(code)
                    captured.append(
                        np.array(points, dtype=float) @ np.array(matrix)[:3, :3] + np.array(matrix)[3, :3]
                    )
                head.append(
                    {
                        "name": target.GetPrim().GetName(),
                        "vertices": len(rest),
                        "source": sources(mesh, len(rest)),
                        "rest": {},
                    }
                )
                positions.append(np.array(captured))
    write_capture(head_file, data_file, head, positions)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
