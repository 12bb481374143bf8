"""A material as a game's simplest shader would show it."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.scene.meshes.material_reader import read_materials


@pytest.fixture
def material() -> bpy.types.Material:
    """The only material of an object 'Mesh', with its own viewport color."""
    mesh = bpy.data.objects.new("Mesh", bpy.data.meshes.new("Mesh"))
    made = bpy.data.materials.new("Skin")
    # From 5.0 on a material always has nodes.
    if made.node_tree is None:
        made.use_nodes = True
    made.diffuse_color = (0.25, 0.5, 0.75, 1.0)
    mesh.data.materials.append(made)
    return made


def looks() -> tuple[tuple[float, float, float], str]:
    """The color, and the image's name."""
    (one,) = read_materials(bpy.data.objects["Mesh"])
    return one.color, one.image.name if one.image else ""


def base_color(material: bpy.types.Material) -> bpy.types.NodeSocket:
    return material.node_tree.nodes["Principled BSDF"].inputs["Base Color"]


@pytest.mark.usefixtures("material")
def test_without_a_texture_it_is_the_viewport_colour():
    assert looks() == ((0.25, 0.5, 0.75), "")


def test_a_texture_counts_through_what_importers_put_before_the_shader(material: bpy.types.Material):
    nodes, links = material.node_tree.nodes, material.node_tree.links
    texture, mix = nodes.new("ShaderNodeTexImage"), nodes.new("ShaderNodeMixRGB")
    texture.image = bpy.data.images.new("Cloth", 2, 2)
    links.new(texture.outputs["Color"], mix.inputs["Color1"])
    links.new(mix.outputs["Color"], base_color(material))
    assert looks() == ((1.0, 1.0, 1.0), "Cloth")


def test_nodes_in_a_circle_lead_to_no_texture(material: bpy.types.Material):
    nodes, links = material.node_tree.nodes, material.node_tree.links
    one, other = nodes.new("ShaderNodeMixRGB"), nodes.new("ShaderNodeMixRGB")
    links.new(one.outputs["Color"], other.inputs["Color1"])
    links.new(other.outputs["Color"], one.inputs["Color1"])
    links.new(other.outputs["Color"], base_color(material))
    assert looks() == ((0.25, 0.5, 0.75), "")


def test_an_empty_slot_is_grey():
    mesh = bpy.data.objects.new("Mesh", bpy.data.meshes.new("Mesh"))
    mesh.data.materials.append(None)
    assert looks() == (pytest.approx((0.8, 0.8, 0.8)), "")
