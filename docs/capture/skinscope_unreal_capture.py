"""Writes what Unreal makes of a character: the skinned vertices at each frame of a clip, as a file that
`skinscope diff BUNDLE positions.json` reads.

Needs the plugins Python Editor Script and Geometry Script, of an Unreal whose Copy Mesh From Component takes
skeletal meshes (5.5 and later; older ones refuse, and so does this script). Place the imported character in a
level, select its actor, set the values below, and run this file (Tools > Execute Python Script).

UNTESTED by its authors, who have no Unreal at hand: please report what does not work.
"""

import json

import unreal

ANIMATION = "/Game/Character/Character_Anim"
FRAMES_PER_SECOND = 24.0
"""Of the scene in Blender."""
CLIP_START = 1
"""Blender's frame at time 0 of the animation."""
FIRST_FRAME, LAST_FRAME = 1, 50
OUTPUT = "C:/positions.json"

TICKS_TO_SETTLE = 3
"""How often the editor draws before a pose counts as evaluated."""


def chosen_component():
    actors = unreal.get_editor_subsystem(unreal.EditorActorSubsystem).get_selected_level_actors()
    for actor in actors:
        component = actor.get_component_by_class(unreal.SkeletalMeshComponent)
        if component is not None:
            return component
    raise RuntimeError("Select an actor with a skeletal mesh, then run this again.")


def positions_of(component):
    """Return the component's posed vertices in the world, as lists of x, y, z in centimetres."""
    mesh = unreal.DynamicMesh()
    options = unreal.GeometryScriptCopyMeshFromComponentOptions()
    copied = unreal.GeometryScript_SceneUtils.copy_mesh_from_component(component, mesh, options, True)
    if unreal.GeometryScriptOutcomePins.SUCCESS not in tuple(copied):
        raise RuntimeError("This Unreal can't copy the mesh of a skeletal component; use a later one.")
    listed = unreal.GeometryScript_MeshQueries.get_all_vertex_positions(mesh, True)
    vectors = listed[0] if isinstance(listed, tuple) else listed
    return [[one.x, one.y, one.z] for one in unreal.GeometryScript_List.convert_vector_list_to_array(vectors)]


class Capture:
    """Steps through the frames, a few ticks of the editor for each: poses are evaluated between them."""

    def __init__(self):
        self.component = chosen_component()
        self.animation = unreal.load_asset(ANIMATION)
        if self.animation is None:
            raise RuntimeError(f"There is no animation {ANIMATION}.")
        self.rest = None
        self.positions, self.frames = [], []
        self.waiting = TICKS_TO_SETTLE
        self.component.set_update_animation_in_editor(True)
        # Without an animation it is in its reference pose.
        self.component.set_animation_mode(unreal.AnimationMode.ANIMATION_SINGLE_NODE)
        self.component.set_animation(None)
        self.handle = unreal.register_slate_post_tick_callback(self.tick)

    def tick(self, _seconds):
        self.waiting -= 1
        if self.waiting > 0:
            return
        self.waiting = TICKS_TO_SETTLE
        try:
            done = self.step()
        except Exception:
            unreal.unregister_slate_post_tick_callback(self.handle)
            raise
        if done:
            unreal.unregister_slate_post_tick_callback(self.handle)
            self.write()

    def step(self):
        """Take what the last tick posed, and pose the next frame; return whether all are taken."""
        if self.rest is None:
            self.rest = positions_of(self.component)
            self.component.set_animation(self.animation)
        else:
            self.positions.append(positions_of(self.component))
            self.frames.append(FIRST_FRAME + len(self.frames))
        following = FIRST_FRAME + len(self.frames)
        if following > LAST_FRAME:
            return True
        self.component.set_position((following - CLIP_START) / FRAMES_PER_SECOND, False)
        self.component.set_play_rate(0.0)
        return False

    def write(self):
        if all(one == self.rest for one in self.positions):
            raise RuntimeError("The vertices never moved: this Unreal copies the reference pose alone.")
        document = {"positions": self.positions, "frames": self.frames, "rest_positions": self.rest}
        with open(OUTPUT, "w", encoding="utf-8") as file:
            json.dump(document, file)
        unreal.log(f"Skinscope: wrote {len(self.frames)} frames of {len(self.rest)} vertices to {OUTPUT}")


capture = Capture()
