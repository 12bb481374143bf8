"""What VTK makes of a glTF file, on the processor and without a screen; called as capture.py says."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkIOGeometry import vtkGLTFReader


def gltf_json(file: Path) -> dict:
    """Return the JSON of a .glb or .gltf."""
    data = file.read_bytes()
    if data[:4] != b"glTF":
        return json.loads(data)
    (length,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + length])


def primitives(gltf: dict) -> Iterator[tuple[dict, int, int]]:
    """Yield the node, mesh and primitive of each part of the scene, in the order of VTK's blocks."""

    def below(number: int) -> Iterator[tuple[dict, int, int]]:
        node = gltf["nodes"][number]
        if "mesh" in node:
            for primitive in range(len(gltf["meshes"][node["mesh"]]["primitives"])):
                yield node, node["mesh"], primitive
        for child in node.get("children", ()):
            yield from below(child)

    for root in gltf["scenes"][gltf.get("scene", 0)]["nodes"]:
        yield from below(root)


def parts(reader: vtkGLTFReader) -> list[vtkPolyData]:
    """Return the reader's blocks."""
    output = reader.GetOutput()
    iterator = output.NewIterator()
    result = []
    iterator.InitTraversal()
    while not iterator.IsDoneWithTraversal():
        result.append(iterator.GetCurrentDataObject())
        iterator.GoToNextItem()
    return result


def main(file: Path, times_file: Path, head_file: Path, data_file: Path) -> None:
    times = json.loads(times_file.read_text(encoding="utf-8"))
    gltf = gltf_json(file)
    reader = vtkGLTFReader()
    reader.SetFileName(str(file))
    reader.SetApplyDeformationsToGeometry(True)
    reader.UpdateInformation()
    for number in range(reader.GetNumberOfAnimations()):
        reader.EnableAnimation(number)
    reader.UpdateInformation()
    instants = []
    for time in times:
        reader.UpdateTimeStep(time)
        instants.append([vtk_to_numpy(part.GetPoints().GetData()).astype(float) for part in parts(reader)])
    found = list(primitives(gltf))
    head, data = [], []
    for number, (part, (node, mesh, primitive)) in enumerate(zip(parts(reader), found, strict=True)):
        count = part.GetNumberOfPoints()
        attributes = gltf["meshes"][mesh]["primitives"][primitive]["attributes"]
        if count != gltf["accessors"][attributes["POSITION"]]["count"]:
            raise ValueError(f"Block {number} is not primitive {primitive} of mesh {mesh}.")
        if "skin" not in node:
            continue
        numbers = part.GetPointData().GetArray("_SOURCE")
        source = np.arange(count) if numbers is None else vtk_to_numpy(numbers)
        name = gltf["meshes"][mesh].get("name")
        head.append({"name": name, "mesh": mesh, "primitive": primitive, "vertices": count,
                     "source": source.tolist(), "rest": {}})  # fmt: skip
        data += [instant[number] for instant in instants]
    head_file.write_text(json.dumps({"meshes": head}), encoding="utf-8")
    with data_file.open("wb") as out:
        for positions in data:
            positions.tofile(out)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
