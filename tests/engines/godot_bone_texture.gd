# Skins the mesh beside a bone texture in a Godot shader, by docs/readers/bone_texture.gdshaderinc, and reads the vertices
# back: every vertex is drawn as a point on a pixel of its own, whose color is some of a coordinate's bits.
# godot --path PROJECT --script ... -- FOLDER MOMENTS OUTPUT: PROJECT has the reader; MOMENTS is JSON, [[place, other, fade], ...], at
# most 32, places counted in samples; OUTPUT becomes JSON, [{rest, posed}, ...] of each surface, float32 in base64: (V, 3), (M, V, 3).
extends SceneTree

const SHADER := """
shader_type spatial;
render_mode unshaded, cull_disabled, depth_test_disabled, fog_disabled;

#include "res://bone_texture.gdshaderinc"

uniform ivec2 picture_size;
uniform int picture;
uniform vec4 places[32];
varying flat highp vec3 posed;

mat4 movement_at(float place, ivec4 bones, vec4 weights) {
	int before = int(floor(place));
	return movement_of(bones, weights, before, before + 1, fract(place));
}

void vertex() {
	ivec4 bones = ivec4(BONE_INDICES);
	vec4 place = places[INSTANCE_ID];
	mat4 movement = movement_at(place.x, bones, BONE_WEIGHTS);
	if (place.z > 0.0) {
		movement = (1.0 - place.z) * movement + place.z * movement_at(place.y, bones, BONE_WEIGHTS);
	}
	posed = (movement * vec4(VERTEX, 1.0)).xyz;
	vec2 pixel = vec2(float(VERTEX_ID), float(INSTANCE_ID)) + 0.5;
	POSITION = vec4(pixel / vec2(picture_size) * 2.0 - 1.0, 0.0, 1.0);
	POINT_SIZE = 1.0;
}

// Four bits a channel, in the middle of what they stand for: renderers take colors through curves of their own.
void fragment() {
	uint bits = floatBitsToUint(posed[picture / 3]) >> uint(12 * (picture % 3));
	uvec3 four = (uvec3(bits) >> uvec3(0u, 4u, 8u)) & uvec3(15u);
	ALBEDO = (vec3(four) * 16.0 + 8.0) / 255.0;
}
"""

func _initialize() -> void:
	run.call_deferred()

func run() -> void:
	var arguments := OS.get_cmdline_user_args()
	var folder := arguments[0]
	var manifest: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(folder.path_join("bone-texture.json")))
	var moments: Array = JSON.parse_string(FileAccess.get_file_as_string(arguments[1]))
	var material := material_of(folder, manifest["texture"])
	var found := []
	for arrays in surfaces(folder.path_join(manifest["mesh"])):
		var posed: PackedByteArray = await read_back(arrays, material, moments)
		var rest: PackedVector3Array = arrays[Mesh.ARRAY_VERTEX]
		found.append({
			"rest": Marshalls.raw_to_base64(rest.to_byte_array()),
			"posed": Marshalls.raw_to_base64(posed),
		})
	FileAccess.open(arguments[2], FileAccess.WRITE).store_string(JSON.stringify(found))
	quit()

func material_of(folder: String, texture: Dictionary) -> ShaderMaterial:
	var width := int(texture["width"])
	var height := int(texture["height"])
	var image := image_of(folder.path_join(texture["file"]), width, height, texture["format"] == "half")
	var material := ShaderMaterial.new()
	material.shader = Shader.new()
	material.shader.code = SHADER
	material.set_shader_parameter("bone_texture", ImageTexture.create_from_image(image))
	material.set_shader_parameter("bone_texture_size", Vector2i(height, width / int(texture["strips"])))
	return material

func image_of(path: String, width: int, height: int, half: bool) -> Image:
	if path.get_extension() == "exr":
		return Image.load_from_file(path)
	var format := Image.FORMAT_RGBAH if half else Image.FORMAT_RGBAF
	return Image.create_from_data(width, height, false, format, FileAccess.get_file_as_bytes(path))

# The arrays of each surface of a glTF file.
func surfaces(path: String) -> Array:
	GLTFDocument.register_gltf_document_extension(GLTFDocumentExtensionConvertImporterMesh.new())
	var document := GLTFDocument.new()
	var state := GLTFState.new()
	if document.append_from_file(path, state) != OK:
		push_error("the file can't be read")
	var scene := document.generate_scene(state)
	var found := []
	for node in scene.find_children("*", "MeshInstance3D", true, false):
		for surface in node.mesh.get_surface_count():
			found.append(node.mesh.surface_get_arrays(surface))
	scene.free()
	return found

# Of each moment, each vertex: x, y, z.
func read_back(arrays: Array, material: ShaderMaterial, moments: Array) -> PackedByteArray:
	var size := Vector2i(arrays[Mesh.ARRAY_VERTEX].size(), moments.size())
	var view := SubViewport.new()
	view.size = size
	# Linear, in a renderer that would make it sRGB.
	view.use_hdr_2d = true
	view.own_world_3d = true
	view.render_target_update_mode = SubViewport.UPDATE_ALWAYS
	var camera := Camera3D.new()
	view.add_child(camera)
	view.add_child(instances(arrays, material, moments.size()))
	root.add_child(view)
	camera.make_current()
	var places := PackedVector4Array()
	for moment in moments:
		places.append(Vector4(moment[0], moment[1], moment[2], 0.0))
	places.resize(32)
	material.set_shader_parameter("places", places)
	material.set_shader_parameter("picture_size", size)
	var pictures: Array[PackedByteArray] = []
	for number in 9:
		material.set_shader_parameter("picture", number)
		# The frame that is being drawn may have begun before.
		await RenderingServer.frame_post_draw
		await RenderingServer.frame_post_draw
		var picture := view.get_texture().get_image()
		picture.convert(Image.FORMAT_RGB8)
		pictures.append(picture.get_data())
	view.queue_free()
	var result := PackedByteArray()
	result.resize(4 * 3 * size.x * size.y)
	for pixel in size.x * size.y:
		for axis in 3:
			var bits := 0
			for shift in range(0, 32, 4):
				bits |= (pictures[3 * axis + shift / 12][3 * pixel + shift % 12 / 4] >> 4) << shift
			result.encode_u32(4 * (3 * pixel + axis), bits)
	return result

# One instance for each moment, as a crowd's would be drawn, but of points.
func instances(arrays: Array, material: ShaderMaterial, count: int) -> MultiMeshInstance3D:
	var every_vertex := arrays.duplicate()
	every_vertex[Mesh.ARRAY_INDEX] = null
	var points := ArrayMesh.new()
	points.add_surface_from_arrays(Mesh.PRIMITIVE_POINTS, every_vertex)
	var many := MultiMesh.new()
	many.transform_format = MultiMesh.TRANSFORM_3D
	many.mesh = points
	many.instance_count = count
	for index in count:
		many.set_instance_transform(index, Transform3D.IDENTITY)
	var node := MultiMeshInstance3D.new()
	node.multimesh = many
	node.material_override = material
	node.custom_aabb = AABB(-1e4 * Vector3.ONE, 2e4 * Vector3.ONE)
	return node
