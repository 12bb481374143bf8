"""Everything that the interface says, collected from where Blender and the code have it.

Blender's own knowledge of the registered classes gives labels, tooltips and items. The sources give what the
code
composes: templates of messages and errors, and words written into layouts.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import bpy

import skinning_addon
from skinning_addon.core.profiles.catalogue import load_profile, profile_ids
from skinning_addon.core.text import errors

PACKAGE = Path(skinning_addon.__file__).parent

NOT_SHOWN = {"command_line"}
"""Its reports are in English."""

PROGRAMMERS_ERRORS = {"InvalidArrayError", "HierarchyError"}
"""No user action in Blender raises these: Blender's bones form no loops and have unique names."""

SOURCES_OF_TEMPLATES = {"Message", "Sentence", "Clause", "Continuation"} | {
    name for name, one in vars(errors).items() if inspect.isclass(one) and name not in PROGRAMMERS_ERRORS
}

OPERATOR_CONTEXT = "Operator"
DEFAULT_CONTEXT = bpy.app.translations.contexts.default

REGISTERED_BASES = (
    bpy.types.AddonPreferences,
    bpy.types.Menu,
    bpy.types.Operator,
    bpy.types.Panel,
    bpy.types.PropertyGroup,
    bpy.types.UIList,
)

Key = tuple[str, str]
"""Context and text, as in Blender's translation tables."""


@dataclass(frozen=True)
class Said:
    """The text from one place in the sources. untranslatable: it is assembled before it can be translated."""

    key: Key
    place: str
    untranslatable: bool = False


def strings_of_interface() -> dict[Key, str]:
    """Collect all translatable text of the interface; the values say where it is from. The extension must be
    registered.
    """
    composed = {one.key: one.place for one in strings_of_sources() if not one.untranslatable}
    return composed | registered_strings()


def registered_strings() -> dict[Key, str]:
    """Collect what Blender knows about our classes and properties; the values say where it is from."""
    found: dict[Key, str] = {}
    for one in _registered_classes():
        found.update(_strings_of_class(one))
    for owner in (bpy.types.Scene, bpy.types.Object, bpy.types.WindowManager, bpy.types.Screen):
        for one in owner.bl_rna.properties:
            if one.identifier.startswith("skinscope") and not isinstance(one, bpy.types.PointerProperty):
                found.update(_strings_of_property(one, owner.__name__))
    # Blender doesn't know the items that a function returns until they are shown.
    found.update(((DEFAULT_CONTEXT, load_profile(name).label), f"{name}.toml") for name in profile_ids())
    return {key: place for key, place in found.items() if key[1]}


def _registered_classes() -> Iterator[type]:
    # Property groups are not listed in bpy.types.
    for base in REGISTERED_BASES:
        for one in base.__subclasses__():
            if one.__module__.startswith(skinning_addon.__name__) and one.is_registered:
                yield one


def _strings_of_class(one: type) -> Iterator[tuple[Key, str]]:
    rna = one.bl_rna
    properties = rna.properties
    if issubclass(one, bpy.types.Operator):
        # Blender stores an operator's tooltip and properties with the operator, not with its class.
        group, name = one.bl_idname.split(".")
        operator = getattr(getattr(bpy.ops, group), name).get_rna_type()
        properties = operator.properties
        yield (rna.translation_context, one.bl_label), one.__name__
        yield (DEFAULT_CONTEXT, operator.description), one.__name__
    elif issubclass(one, bpy.types.Panel | bpy.types.Menu):
        yield (rna.translation_context, getattr(one, "bl_label", "")), one.__name__
        # Blender uses the docstring as the tooltip if there is no other description.
        yield (DEFAULT_CONTEXT, getattr(one, "bl_description", one.__doc__ or "")), one.__name__
    ours = [base for base in one.__mro__ if base.__module__.startswith(skinning_addon.__name__)]
    names = {name for base in ours for name in getattr(base, "__annotations__", {})}
    blenders_own = {
        each.identifier
        for base in REGISTERED_BASES
        if issubclass(one, base)
        for each in base.bl_rna.properties
    }
    for name in sorted(names & set(properties.keys()) - blenders_own):
        if not properties[name].is_hidden:
            yield from _strings_of_property(properties[name], one.__name__)


def _strings_of_property(one: bpy.types.Property, owner: str) -> Iterator[tuple[Key, str]]:
    place = f"{owner}.{one.identifier}"
    yield (one.translation_context, one.name), place
    yield (DEFAULT_CONTEXT, one.description), place
    if isinstance(one, bpy.types.EnumProperty):
        for item in one.enum_items:
            yield (one.translation_context, item.name), f"{place} {item.identifier}"
            yield (DEFAULT_CONTEXT, item.description), f"{place} {item.identifier}"


def strings_of_sources() -> list[Said]:
    """Collect the text that the code composes or writes into layouts."""
    return [
        said
        for path in sorted(PACKAGE.rglob("*.py"))
        if not any(path.is_relative_to(PACKAGE / one) for one in NOT_SHOWN)
        for said in strings_of_source(path.read_text(encoding="utf-8"), str(path.relative_to(PACKAGE)))
    ]


def strings_of_source(source: str, name: str) -> Iterator[Said]:
    """Collect from one module, whose path in the package is `name`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            yield from _strings_of_call(node, name)
        elif isinstance(node, ast.ClassDef):
            for statement in node.body:
                if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "bl_label":
                    context = OPERATOR_CONTEXT if "_OT_" in node.name else DEFAULT_CONTEXT
                    yield from _said(statement.value, context, name)


def _strings_of_call(call: ast.Call, name: str) -> Iterator[Said]:
    called = (
        call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", type(call).__name__)
    )
    if called in SOURCES_OF_TEMPLATES and call.args:
        yield from _said(call.args[0], DEFAULT_CONTEXT, name)
    if not name.startswith("ui/"):
        return
    if called == "report":
        yield from _only_composed(call.args[1], name)
    elif called in {"poll_message_set", "status_text_set", "header_text_set"}:
        yield from _only_composed(call.args[0], name)
    for keyword in call.keywords:
        if keyword.arg in {"text", "heading"}:
            context = OPERATOR_CONTEXT if called.startswith("operator") else DEFAULT_CONTEXT
            yield from _said(keyword.value, context, name)


def _said(value: ast.expr, context: str, name: str) -> Iterator[Said]:
    place = f"{name}:{value.lineno}"
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        if value.value:
            yield Said((context, value.value), place)
    elif _joins_words(value):
        yield Said((context, ast.unparse(value)), place, untranslatable=True)


def _only_composed(value: ast.expr, name: str) -> Iterator[Said]:
    """Blender shows the arguments of these calls unchanged: they must come out of `translated`."""
    if (isinstance(value, ast.Constant) and value.value) or _joins_words(value):
        yield Said((DEFAULT_CONTEXT, ast.unparse(value)), f"{name}:{value.lineno}", untranslatable=True)


def _joins_words(value: ast.expr) -> bool:
    """Tell whether an expression concatenates text: an f-string, a sum, `.format`."""
    if isinstance(value, ast.JoinedStr):
        return any(
            isinstance(part, ast.Constant) and any(map(str.isalpha, str(part.value))) for part in value.values
        )
    if isinstance(value, ast.BinOp):
        return any(isinstance(part, ast.Constant | ast.JoinedStr) for part in ast.walk(value))
    return (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "format"
    )
