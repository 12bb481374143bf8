// Evaluates an FBX file with ufbx, an independent reader of the format.
//
//     ufbx_capture FILE.fbx STACK OUT.bin TIME...
//
// STACK: an animation's name; empty for the file's first. TIME: seconds.
// Prints a line for each skinned mesh, "mesh VERTICES NAME", and for each bone, "bone PARENT NAME", PARENT being
// the number of an earlier bone or -1, and for each animation "stack 0 NAME".
// OUT.bin: float64, for each time, the meshes' vertices, x y z in world space in meters, Z up; then each bone's
// local translation (3), rotation (x y z w) and scale (3), as the file has them.

#include "ufbx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static int bone_number(const ufbx_scene *scene, const ufbx_node *wanted)
{
	int number = 0;
	for (size_t i = 0; i < scene->nodes.count; i++) {
		const ufbx_node *node = scene->nodes.data[i];
		if (!node->bone) continue;
		if (wanted && node->typed_id == wanted->typed_id) return number;
		number++;
	}
	return -1;
}

static void write_doubles(FILE *out, const double *values, size_t count)
{
	if (fwrite(values, sizeof(double), count, out) != count) fail("output", "can't be written");
}

static void print_head(const ufbx_scene *scene)
{
	for (size_t i = 0; i < scene->nodes.count; i++) {
		const ufbx_node *node = scene->nodes.data[i];
		if (!node->mesh || !node->mesh->skin_deformers.count) continue;
		printf("mesh %zu %s\n", node->mesh->num_vertices, node->name.data);
	}
	for (size_t i = 0; i < scene->nodes.count; i++) {
		const ufbx_node *node = scene->nodes.data[i];
		if (node->bone) printf("bone %d %s\n", bone_number(scene, node->parent), node->name.data);
	}
	for (size_t i = 0; i < scene->anim_stacks.count; i++) {
		printf("stack 0 %s\n", scene->anim_stacks.data[i]->name.data);
	}
}

static void write_state(const ufbx_scene *state, FILE *out)
{
	for (size_t i = 0; i < state->nodes.count; i++) {
		const ufbx_node *node = state->nodes.data[i];
		const ufbx_mesh *mesh = node->mesh;
		if (!mesh || !mesh->skin_deformers.count) continue;
		for (size_t v = 0; v < mesh->num_vertices; v++) {
			ufbx_vec3 at = mesh->skinned_position.values.data[v];
			if (mesh->skinned_is_local) at = ufbx_transform_position(&node->geometry_to_world, at);
			write_doubles(out, at.v, 3);
		}
	}
	for (size_t i = 0; i < state->nodes.count; i++) {
		const ufbx_node *node = state->nodes.data[i];
		if (!node->bone) continue;
		write_doubles(out, node->local_transform.translation.v, 3);
		write_doubles(out, node->local_transform.rotation.v, 4);
		write_doubles(out, node->local_transform.scale.v, 3);
	}
}

static const ufbx_anim *find_animation(const ufbx_scene *scene, const char *stack)
{
	if (!*stack) return scene->anim;
	const ufbx_anim_stack *found = ufbx_find_anim_stack(scene, stack);
	if (!found) fail(stack, "the file has no animation of this name");
	return found->anim;
}

int main(int count, char **arguments)
{
	if (count < 5) fail("usage", "ufbx_capture FILE.fbx STACK OUT.bin TIME...");
	ufbx_load_opts options = { 0 };
	options.target_axes = ufbx_axes_right_handed_z_up;
	options.target_unit_meters = 1.0;
	options.space_conversion = UFBX_SPACE_CONVERSION_TRANSFORM_ROOT;
	ufbx_error error;
	ufbx_scene *scene = ufbx_load_file(arguments[1], &options, &error);
	if (!scene) fail(arguments[1], error.description.data);
	const ufbx_anim *animation = find_animation(scene, arguments[2]);
	FILE *out = fopen(arguments[3], "wb");
	if (!out) fail(arguments[3], "can't be opened");
	print_head(scene);
	for (int i = 4; i < count; i++) {
		ufbx_evaluate_opts evaluate = { 0 };
		evaluate.evaluate_skinning = true;
		ufbx_scene *state = ufbx_evaluate_scene(scene, animation, atof(arguments[i]), &evaluate, &error);
		if (!state) fail(arguments[i], error.description.data);
		write_state(state, out);
		ufbx_free_scene(state);
	}
	if (fclose(out)) fail(arguments[3], "can't be written");
	ufbx_free_scene(scene);
	return 0;
}
