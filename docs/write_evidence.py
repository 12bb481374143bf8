r"""Writes the table of evidence in docs/concepts.md and docs/ko/concepts.md from a run of the tests of the
texts' formulas.

    SKINSCOPE_EVIDENCE=evidence.jsonl ./run test tests/core/test_texts.py tests/core/test_learnopengl.py \
        tests/animation/test_texts.py
    python docs/write_evidence.py evidence.jsonl

What stands between the two marks is the run's, and nothing else.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parent
BEGIN, END = "<!-- evidence: by docs/write_evidence.py -->", "<!-- end of evidence -->"


@dataclass(frozen=True)
class System:
    """A system of a text. name, korean: what it is. text: where it stands. formula: the text's own."""

    name: str
    korean: str
    text: str
    formula: str


SYSTEMS = {
    "to-root": System(
        "To the root",
        "루트로 가는 변환",
        "Luna, GetFinalTransforms",
        "`toRoot[i] = toParent[i] * toRoot[parent]`",
    ),
    "frames": System(
        "Frame hierarchy",
        "프레임 계층",
        "SkinnedMesh, UpdateFrameMatrices",
        "`Combined = TransformationMatrix * parent's`, then sibling, then first child",
    ),
    "offset": System("Offset", "오프셋 행렬", "Luna, the offset transformation", "`inverse(bind toRoot)`"),
    "final": System(
        "Final matrices", "최종 변환 행렬", "Luna, GetFinalTransforms", "`final[i] = offset[i] * toRoot[i]`"
    ),
    "nodes": System(
        "Nodes",
        "노드 계층",
        "LearnOpenGL, CalculateBoneTransform",
        "`global = parent * node; final = global * offset`, columns",
    ),
    "shader": System(
        "Blend, last weight implied",
        "정점 혼합, 마지막 가중치 생략",
        "SkinnedMesh, skinnedmesh.fx",
        "`pos += w * mul(v, World[idx])`; the last `w = 1 - sum`",
    ),
    "sample-normals": System(
        "Normals of the samples",
        "예제의 법선",
        "SkinnedMesh, skinnedmesh.fx",
        "`normalize(sum of w * mul(n, (float3x3)World[idx]))`",
    ),
    "combinations": System(
        "Bone combinations",
        "뼈 조합 테이블",
        "SkinnedMesh, MultiAnimation: ConvertToIndexedBlendedMesh",
        "every face once, in a call of its material, within the registers, drawn as the whole mesh is",
    ),
    "learnopengl-shader": System(
        "Blend of LearnOpenGL",
        "LearnOpenGL의 혼합",
        "LearnOpenGL, anim_model.vs",
        "`totalPosition += final[id] * pos * weight`, divided by w",
    ),
    "learnopengl-normals": System(
        "Normals of LearnOpenGL",
        "LearnOpenGL의 법선",
        "LearnOpenGL, anim_model.vs",
        "`mat3(final[id]) * norm`, the last one's",
    ),
    "interpolate": System(
        "Keys of Luna",
        "Luna의 키프레임 보간",
        "Luna, BoneAnimation::Interpolate",
        "lerp, slerp, held at the ends; `S * R * T`",
    ),
    "bone": System(
        "Keys of LearnOpenGL",
        "LearnOpenGL의 키프레임 보간",
        "LearnOpenGL, Bone::Update",
        "`mix`, `normalize(slerp)`; `T * R * S`, columns",
    ),
    "channels": System(
        "Nodes with and without channel",
        "채널이 있는 노드와 없는 노드",
        "LearnOpenGL, Animator::CalculateBoneTransform",
        "`if (Bone) nodeTransform = Bone->GetLocalTransform()`, else the node's own",
    ),
    "animator": System(
        "Clock of LearnOpenGL",
        "LearnOpenGL의 시간",
        "LearnOpenGL, Animator::UpdateAnimation",
        "`fmod(time + ticksPerSecond * dt, duration)`",
    ),
    "advance-time": System(
        "Tracks in time",
        "트랙의 시간 진행",
        "MultiAnimation: AdvanceTime, KeyTrackSpeed, KeyTrackWeight, KeyTrackEnable",
        "speed and weight go straight in 0.25 s, the position is the sum of speed * dt",
    ),
    "priority-blend": System(
        "Priority blend",
        "우선순위 혼합",
        "D3DX, SetPriorityBlend",
        "`low * (1 - blend) + high * blend`, each a mix by weight",
    ),
    "callbacks": System(
        "Callback keys", "콜백 키", "D3DX, GetCallback", "each key once a round, at its own time"
    ),
    "reset-time": System(
        "Clock set back", "시간 초기화", "D3DX, ResetTime", "events keep their distance; nothing else changes"
    ),
}

HEADS = {
    "concepts.md": ("what", "text", "its formula", "test", "compared", "largest difference"),
    "ko/concepts.md": ("대상", "출처", "출처의 공식", "테스트", "비교한 것", "최대 차이"),
}


def table(page: str, entries: list[dict]) -> str:
    """Write the table of a page: one row a system, its cases joined, with the largest figure of them."""
    by_system: defaultdict[str, list[dict]] = defaultdict(list)
    for entry in entries:
        by_system[entry["system"]].append(entry)
    missing = SYSTEMS.keys() - by_system.keys()
    if missing:
        raise SystemExit(f"The run has no figures of {sorted(missing)}.")
    head = HEADS[page]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for key, system in SYSTEMS.items():
        of_system = by_system[key]
        cases = "; ".join(dict.fromkeys(entry["cases"] for entry in of_system))
        figure = max(entry["figure"] for entry in of_system)
        name = system.korean if page.startswith("ko/") else system.name
        test = f"`{of_system[0]['test']}`"
        written = f"{figure:.1e}" if figure else "0"
        lines.append(f"| {name} | {system.text} | {system.formula} | {test} | {cases} | {written} |")
    return "\n".join(lines)


def main() -> None:
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    for page in HEADS:
        path = DOCS / page
        text = path.read_text(encoding="utf-8")
        before, rest = text.split(BEGIN)
        after = rest.split(END)[1]
        path.write_text(f"{before}{BEGIN}\n\n{table(page, entries)}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
