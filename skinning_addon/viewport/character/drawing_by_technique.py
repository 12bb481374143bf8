"""Our own drawing of a bound mesh: made for the user's chosen technique, and kept while that fits."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ...core.blending.skinner import Skinner
from ...core.groups.draw_groups import DrawGroups, refuse_what_cannot_be_cut
from ...core.skinning.mesh import DrawMesh, SourceMesh
from ...core.skinning.passes import Pass
from ...core.text.errors import BindingError
from ...core.verdicts.finding import Finding
from ...drawing.chain_cache import ChainCache
from ...drawing.displays import NORMALS
from ...drawing.draw_call import DrawCallSize
from ...drawing.skinned_drawing import SkinnedDrawing
from ...drawing.techniques import TechniqueChoice, group_limit
from ...measurement.findings.partition_findings import findings_of_large_faces
from ...scene.binding.frame import Frame
from .blender_reference import NEVER, BlenderReference
from .preparation import Preparation
from .stage_times import StageTimes

AUTOMATIC = TechniqueChoice()


class DrawingByTechnique:
    """Owns the drawing, and knows what has been sent to it. Creates its GPU objects on first use: free it
    after use.

    A technique that splits the mesh, which takes seconds, is prepared in another thread; meanwhile the
    previous drawing, or the automatic technique, is drawn.

    waiting: whether one is being prepared. problem: a sentence that says why the mesh is not drawn by the
    chosen technique; empty if it is.
    choice: the technique that draws.
    frame: whose palettes were sent last, None before the first.
    """

    def __init__(self, cache: ChainCache, mesh: SourceMesh, draw_mesh: DrawMesh, times: StageTimes) -> None:
        """cache: of the binding's chain, shared by all drawings of that binding."""
        self.problem = ""
        self.waiting = False
        self.choice = AUTOMATIC
        self.frame: Frame | None = None
        self._bound_cache = cache
        self._other_cache = cache
        self._mesh = mesh
        self._draw_mesh = draw_mesh
        self._rest = mesh, draw_mesh
        self._sent = mesh
        self._times = times
        self._wanted = AUTOMATIC
        self._preparation = Preparation()
        self._groups: DrawGroups | None = None
        self._chain: tuple[Pass, ...] = ()
        self._drawing: SkinnedDrawing | None = None
        self._reference_sent = NEVER, ""

    @property
    def storage(self) -> str:
        """How the palette is stored on the GPU, "" before the first drawing."""
        return self._drawing.technique if self._drawing else ""

    @property
    def sizes(self) -> tuple[DrawCallSize, ...]:
        """What each draw call takes; empty before the first drawing."""
        return self._drawing.sizes if self._drawing else ()

    @property
    def groups(self) -> DrawGroups | None:
        """The groups the mesh is split into, None if it is drawn whole."""
        return self._groups if self._drawing else None

    @property
    def fewest_groups(self) -> int | None:
        """A lower bound on the number of groups of any partition; None if the mesh is drawn whole."""
        groups = self.groups
        return None if groups is None else groups.partition.lower_bound

    def findings(self, mesh_object: str) -> Iterator[Finding]:
        """Report the parts of the mesh that no group has room for. mesh_object: its name."""
        groups = self.groups
        if groups is not None:
            yield from findings_of_large_faces(mesh_object, self._mesh, groups.partition)

    def posed(self, frame: Frame, wanted: TechniqueChoice) -> SkinnedDrawing:
        """Return the drawing by the requested technique if possible, posed as in `frame`.

        The pose is sent once, however often and wherever the drawing is then drawn.
        """
        choice = self._ready_choice(frame.chain, wanted)
        if self._drawing is not None and not self._draws(frame.chain, choice):
            # Another technique, or weights that follow the pose: the existing drawing does not fit this
            # frame.
            self.free()
        if self._drawing is None:
            self._drawing = self._made(frame.chain, choice)
        if self._sent is not self._rest[0]:
            self._drawing = self._moved(self._drawing)
        if self.frame is not frame:
            self._send(self._drawing, frame)
        return self._drawing

    def _send(self, drawing: SkinnedDrawing, frame: Frame) -> None:
        with self._times.measured("palette"):
            palettes = frame.palettes
        with self._times.measured("upload"):
            drawing.update(palettes)
        self.frame = frame

    @property
    def prepared_now(self) -> bool:
        """Whether the awaited drawing is ready."""
        return self.waiting and not self._preparation.running

    def _ready_choice(self, chain: tuple[Pass, ...], wanted: TechniqueChoice) -> TechniqueChoice:
        """Return the technique to draw a chain with now: another than `wanted` as long as that is prepared."""
        self.waiting = not self._draws(chain, wanted) and not self._is_ready(chain, wanted)
        if not self.waiting:
            return wanted
        return self._wanted if chain is self._chain else AUTOMATIC

    def _draws(self, chain: tuple[Pass, ...], choice: TechniqueChoice) -> bool:
        """Whether the drawing was made for this chain and technique."""
        return chain is self._chain and choice.draws_as(self._wanted)

    def _is_ready(self, chain: tuple[Pass, ...], wanted: TechniqueChoice) -> bool:
        limit = group_limit(wanted)
        mesh, cache = self._mesh, self._cache_of(chain)
        if limit is None or cache.has_cut(mesh, limit):
            return True
        try:
            refuse_what_cannot_be_cut(chain)
        except BindingError:
            # There is nothing to wait for: `_made` will say so.
            return True
        return self._preparation.ready((chain, mesh, limit), lambda: cache.groups(mesh, limit))

    def _cache_of(self, chain: tuple[Pass, ...]) -> ChainCache:
        """Return the binding's cache, or that of the last other chain that a frame had."""
        if chain is self._bound_cache.passes:
            return self._bound_cache
        if chain is not self._other_cache.passes:
            self._other_cache = ChainCache(chain)
        return self._other_cache

    def move(self, mesh: SourceMesh, draw_mesh: DrawMesh) -> None:
        """From now on draw the same vertices at their positions in `mesh`."""
        self._rest = mesh, draw_mesh

    def _moved(self, drawing: SkinnedDrawing) -> SkinnedDrawing:
        mesh, draw_mesh = self._rest
        if drawing.takes_positions:
            drawing.set_positions(mesh.positions, draw_mesh.normals, mesh.normals)
        else:
            self.free()
            self._mesh, self._draw_mesh = mesh, draw_mesh
            drawing = self._made(self._chain, self._wanted)
        self._sent = mesh
        return drawing

    def _made(self, chain: tuple[Pass, ...], wanted: TechniqueChoice) -> SkinnedDrawing:
        # Static data was prepared for the mesh as it was bound.
        self._chain, self._wanted, self._sent = chain, wanted, self._mesh
        self.problem, self.choice = "", wanted
        cache = self._cache_of(chain)
        try:
            draw_calls = wanted.technique.draw_calls(cache, self._mesh, self._draw_mesh, wanted.limit)
        except BindingError as error:
            if wanted.draws_as(AUTOMATIC):
                raise
            self.problem, self.choice = str(error), AUTOMATIC
            draw_calls = AUTOMATIC.technique.draw_calls(cache, self._mesh, self._draw_mesh, AUTOMATIC.limit)
        limit = group_limit(self.choice)
        self._groups = None if limit is None else cache.groups(self._mesh, limit)
        return SkinnedDrawing(chain, self._mesh, self._draw_mesh, draw_calls=draw_calls)

    def prober(self, chain: tuple[Pass, ...], mesh: SourceMesh) -> Skinner:
        """Make a prober that skins the mesh as drawn, for reading it back."""
        return self.choice.technique.probe(self._cache_of(chain), mesh, self.choice.limit)

    def send_reference(
        self,
        compares: str,
        reference: BlenderReference,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
    ) -> None:
        """Send the display's reference, unless it was sent already."""
        if self._drawing is None or reference.positions is None:
            return
        if (reference.revision, compares) != self._reference_sent:
            normals = reference.normals(mesh_object, depsgraph) if compares == NORMALS else None
            self._drawing.set_reference(reference.positions, normals)
            self._reference_sent = reference.revision, compares

    def free(self) -> None:
        """Free the GPU memory."""
        if self._drawing is not None:
            self._drawing.free()
            self._drawing = None
        self.frame = None
        self._reference_sent = NEVER, ""
