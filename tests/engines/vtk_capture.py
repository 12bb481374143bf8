"""Captures a glTF file skinned by VTK on the CPU, without a screen; called as capture.py says."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from glb_file import GlbFile, write_capture
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkIOGeometry import vtkGLTFReader


def blocks(reader: vtkGLTFReader) -> list[vtkPolyData]:
    """Return the reader's output, a block for each part."""
    output = reader.GetOutput()
    iterator = output.NewIterator()
    result = []
    iterator.InitTraversal()
    while not iterator.IsDoneWithTraversal():
        result.append(iterator.GetCurrentDataObject())
        iterator.GoToNextItem()
    return result


def main(file: Path, times_file: Path, head_file: Path, data_file: Path) -> None:
    gltf = GlbFile(file)
    reader = vtkGLTFReader()
    reader.SetFileName(str(file))
    reader.SetApplyDeformationsToGeometry(True)
    reader.UpdateInformation()
    for number in range(reader.GetNumberOfAnimations()):
        reader.EnableAnimation(number)
    reader.UpdateInformation()
    instants = []
    for time in json.loads(times_file.read_text(encoding="utf-8")):
        reader.UpdateTimeStep(time)
        instants.append([vtk_to_numpy(one.GetPoints().GetData()).copy() for one in blocks(reader)])
    head, positions = [], []
    has_skin = any(gltf.is_skinned(part) for part in gltf.by_hierarchy)
    for number, part in enumerate(gltf.by_hierarchy):
        captured = np.array([instant[number] for instant in instants])
        if captured.shape[1] != gltf.vertex_count(part):
            raise ValueError(f"VTK's block {number} is not primitive {part.primitive} of mesh {part.mesh}.")
        if gltf.is_skinned(part) or not has_skin:
            head.append(gltf.head(part))
            positions.append(captured)
    write_capture(head_file, data_file, head, positions)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
