# What Godot makes of a glTF file, without a screen; called as capture.py says, after the rate at which to sample
# animation. The skinning is that of its shader (skeleton.glsl), with the weights as its mesh stores them.
extends SceneTree

# Within the first frame: before it, nothing is in the tree, and nothing plays.
func _process(_seconds: float) -> bool:
	var arguments := OS.get_cmdline_user_args()
	var times: Array = JSON.parse_string(FileAccess.get_file_as_string(arguments[2]))
	# As games that load files while they run do it: without, blend shapes have no values.
	GLTFDocument.register_gltf_document_extension(GLTFDocumentExtensionConvertImporterMesh.new())
	var document := GLTFDocument.new()
	var state := GLTFState.new()
	if document.append_from_file(arguments[1], state) != OK:
		push_error("the file can't be read")
		quit(1)
		return true
	var scene := document.generate_scene(state, float(arguments[0]))
	root.add_child(scene)
	var players := scene.find_children("*", "AnimationPlayer", true, false)
	var meshes := scene.find_children("*", "MeshInstance3D", true, false)
	for player in players:
		player.callback_mode_process = AnimationMixer.ANIMATION_CALLBACK_MODE_PROCESS_MANUAL
	var head := []
	var positions := []
	var skinned := []
	for mesh in meshes:
		if mesh.skin == null:
			continue
		for surface in mesh.mesh.get_surface_count():
			skinned.append([mesh, surface])
			positions.append(PackedFloat64Array())
	for time in times:
		for player in players:
			for clip in player.get_animation_list():
				player.play(clip)
				player.seek(time, true)
		for number in skinned.size():
			positions[number].append_array(posed(skinned[number][0], skinned[number][1]))
	for number in skinned.size():
		var mesh: MeshInstance3D = skinned[number][0]
		var arrays: Array = mesh.mesh.surface_get_arrays(skinned[number][1])
		head.append({
			"name": mesh.name,
			"vertices": arrays[Mesh.ARRAY_VERTEX].size(),
			"source": sources(arrays),
			"rest": {},
		})
	FileAccess.open(arguments[3], FileAccess.WRITE).store_string(JSON.stringify({"meshes": head}))
	var data := FileAccess.open(arguments[4], FileAccess.WRITE)
	for one in positions:
		data.store_buffer(one.to_byte_array())
	data.close()
	return true

# The third UV map, which arrives as floats: a vertex's number.
func sources(arrays: Array) -> Array:
	var numbers := []
	var custom: PackedFloat32Array = arrays[Mesh.ARRAY_CUSTOM0]
	var width: int = custom.size() / arrays[Mesh.ARRAY_VERTEX].size()
	for vertex in arrays[Mesh.ARRAY_VERTEX].size():
		numbers.append(roundi(custom[vertex * width]))
	return numbers

# The vertices after their blend shapes, which are whole shapes, not differences.
func shaped(mesh: MeshInstance3D, surface: int, rest: PackedVector3Array) -> PackedVector3Array:
	var result := rest.duplicate()
	var shapes: Array = mesh.mesh.surface_get_blend_shape_arrays(surface)
	for number in shapes.size():
		var shape: PackedVector3Array = shapes[number][Mesh.ARRAY_VERTEX]
		for vertex in rest.size():
			result[vertex] += (shape[vertex] - rest[vertex]) * mesh.get_blend_shape_value(number)
	return result

func posed(mesh: MeshInstance3D, surface: int) -> PackedFloat64Array:
	var skeleton: Skeleton3D = mesh.get_node(mesh.skeleton)
	var palette: Array[Transform3D] = []
	for bind in mesh.skin.get_bind_count():
		var bone := mesh.skin.get_bind_bone(bind)
		if bone < 0:
			bone = skeleton.find_bone(mesh.skin.get_bind_name(bind))
		palette.append(skeleton.get_bone_global_pose(bone) * mesh.skin.get_bind_pose(bind))
	var arrays: Array = mesh.mesh.surface_get_arrays(surface)
	var vertices := shaped(mesh, surface, arrays[Mesh.ARRAY_VERTEX])
	var bones = arrays[Mesh.ARRAY_BONES]
	var weights = arrays[Mesh.ARRAY_WEIGHTS]
	var per_vertex: int = bones.size() / vertices.size()
	var result := PackedFloat64Array()
	result.resize(vertices.size() * 3)
	var to_world := skeleton.global_transform
	for vertex in vertices.size():
		var sum := Vector3.ZERO
		for slot in range(vertex * per_vertex, (vertex + 1) * per_vertex):
			sum += (palette[bones[slot]] * vertices[vertex]) * weights[slot]
		sum = to_world * sum
		for axis in 3:
			result[vertex * 3 + axis] = sum[axis]
	return result
