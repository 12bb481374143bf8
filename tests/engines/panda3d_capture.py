"""What Panda3D makes of a glTF file, loaded by panda3d-gltf and skinned on the CPU. Called as capture.py says, with
the poses a second that the loader makes of an animation in front.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

import gltf
import numpy as np
from glb_file import GlbFile, write_capture
from panda3d import core

JUST_BEFORE = 1 + 1e-6
"""A sample shows the first key that is not before it, whatever lies between (`get_lerp_factor`). Keys have times in
32 bits, so one at the very time of a sample may count as before it; taken a millionth earlier, each sample is its
own key.
"""


def write_plain(source: GlbFile, file: Path, plain: Path) -> None:
    """Write a copy that the loader can read: without attributes of somebody's own, which crash it, and with each
    mesh's number for its name.
    """
    document = source.json
    for number, mesh in enumerate(document.get("meshes", ())):
        mesh["name"] = f"mesh {number}"
        for primitive in mesh["primitives"]:
            attributes = primitive["attributes"]
            primitive["attributes"] = {
                name: accessor for name, accessor in attributes.items() if not name.startswith("_")
            }
    for buffer in document["buffers"]:
        uri = buffer.get("uri")
        if uri is None or not uri.startswith("data:"):
            content = source.binary if uri is None else (file.parent / uri).read_bytes()
            buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(content).decode()
    plain.write_text(json.dumps(document), encoding="utf-8")


def posed(path: core.NodePath, primitive: int) -> np.ndarray:
    """Return (N, 3) world positions of a primitive's vertices, Y up."""
    data = path.node().get_geom(primitive).get_animated_vertex_data(True, core.Thread.get_current_thread())
    to_world = path.get_net_transform().get_mat()
    reader = core.GeomVertexReader(data, "vertex")
    positions = []
    while not reader.is_at_end():
        x, y, z = to_world.xform_point(core.LPoint3(reader.get_data3()))
        positions.append((x, z, -y))
    return np.array(positions)


def main(rate: float, file: Path, times_file: Path, head_file: Path, data_file: Path) -> None:
    source = GlbFile(file)
    parts = [one for one in source.by_hierarchy if source.is_skinned(one)]
    heads = [source.head(part) for part in parts]
    plain = head_file.with_suffix(".gltf")
    write_plain(source, file, plain)
    scene = core.NodePath(gltf.load_model(str(plain), gltf.GltfSettings(animation_fps=rate * JUST_BEFORE)))
    controls = core.AnimControlCollection()
    for path in scene.find_all_matches("**/+Character"):
        core.auto_bind(path.node(), controls, ~0)
    # A mesh that several nodes show is one node here, with several parents.
    paths = {mesh: list(scene.find_all_matches(f"**/mesh {mesh}")) for mesh in {part.mesh for part in parts}}
    shown = []
    for part in parts:
        own = paths[part.mesh]
        before = sum(one.mesh == part.mesh and one.primitive == part.primitive for one in parts[: len(shown)])
        shown.append(own[min(before, len(own) - 1)])
    instants = []
    for time in json.loads(times_file.read_text(encoding="utf-8")):
        for number in range(controls.get_num_anims()):
            control = controls.get_anim(number)
            control.pose(min(time * rate, control.get_num_frames() - 1))
        for path in scene.find_all_matches("**/+Character"):
            path.node().force_update()
        instants.append([posed(path, part.primitive) for path, part in zip(shown, parts, strict=True)])
    positions = [np.array([instant[number] for instant in instants]) for number in range(len(parts))]
    write_capture(head_file, data_file, heads, positions)


if __name__ == "__main__":
    main(float(sys.argv[1]), *map(Path, sys.argv[2:]))
