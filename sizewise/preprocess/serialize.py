"""The JSON form of preprocessors: dictionaries of steps, and their schema."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ArgumentError, short_repr, unknown_name
from .fields import hints
from .size_rules import RULES, SizeRule
from .steps import STEPS, Step

VERSION = 1
KEY = "sizewise_preprocessor"


def to_dict(steps: Sequence[Step]) -> dict[str, Any]:
    """Return the JSON form of steps."""
    return {KEY: VERSION, "steps": [_to_fields(step, "step") for step in steps]}


def from_dict(given: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps of the JSON form; raise ArgumentError for what it does not have."""
    if type(given.get(KEY)) is not int or given[KEY] != VERSION:
        raise ArgumentError(f"{KEY} is {short_repr(given.get(KEY))}; this release reads version {VERSION}")
    if unknown := [key for key in given if key not in (KEY, "steps")]:
        raise unknown_name("key of a preprocessor", unknown[0], (KEY, "steps"))
    steps = given.get("steps")
    if not isinstance(steps, Sequence) or isinstance(steps, str):
        raise ArgumentError(f"steps of a preprocessor are {short_repr(steps)}; give a list of steps")
    return tuple(_from_fields(step, "step", STEPS) for step in steps)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the JSON form."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sizewise preprocessor",
        "type": "object",
        "required": [KEY, "steps"],
        "additionalProperties": False,
        "properties": {
            KEY: {"const": VERSION},
            "steps": {"type": "array", "items": {"oneOf": [_object(step, "step") for step in STEPS.values()]}},
        },
    }


def _to_fields(value: Any, kind: str) -> dict[str, Any]:
    """Return a step or rule as a dictionary; fields that have their defaults are left out."""
    fields: dict[str, Any] = {kind: value.name}
    for field in dataclasses.fields(value):
        given = getattr(value, field.name)
        default = field.default_factory() if callable(field.default_factory) else field.default
        if given != default:
            fields[field.name] = _to_fields(given, "rule") if isinstance(given, SizeRule) else _plain(given)
    return fields


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return value


def _from_fields(given: Any, kind: str, known: Mapping[str, Any]) -> Any:
    if not isinstance(given, Mapping):
        raise ArgumentError(f"a {kind} is {short_repr(given)}; write it like {{{kind!r}: {next(iter(known))!r}, ...}}")
    name = given.get(kind)
    if not isinstance(name, str) or name not in known:
        raise unknown_name(kind, name, tuple(known))
    cls = known[name]
    allowed = {field.name: field for field in dataclasses.fields(cls)}
    values = {}
    for key, value in given.items():
        if key == kind:
            continue
        if key not in allowed:
            raise unknown_name(f"field of {kind} {name!r}", key, tuple(allowed))
        values[key] = _from_fields(value, "rule", RULES) if key == "rule" else _check(cls, name, key, value)
    missing = [key for key, field in allowed.items() if key not in values and _is_required(field)]
    if missing:
        raise ArgumentError(f"{kind} {name!r} needs {', '.join(missing)}")
    try:
        return cls(**values)
    except TypeError as error:
        raise ArgumentError(f"{kind} {name!r}: {error}") from None


def _is_required(field: Any) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _check(cls: Any, name: str, key: str, value: Any) -> Any:
    """Return the value of a field, lists as tuples; raise ArgumentError for a value of another type."""
    schema = _type_schema(hints(cls)[key])
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = tuple(value)
    if not _matches(value, schema):
        raise ArgumentError(f"{key} of {name!r} is {short_repr(value)}; it must be {_describe(schema)}")
    if isinstance(value, Mapping):
        return {option: tuple(one) if isinstance(one, list) else one for option, one in value.items()}
    return value


def _matches(value: Any, schema: dict[str, Any]) -> bool:
    if "anyOf" in schema:
        return any(_matches(value, one) for one in schema["anyOf"])
    if isinstance(value, bool) or schema["type"] == "boolean":
        return isinstance(value, bool) and schema["type"] == "boolean"
    if schema["type"] == "array":
        return isinstance(value, tuple) and bool(value) and all(_matches(one, schema["items"]) for one in value)
    kinds = {"integer": int, "number": (int, float), "string": str, "null": type(None), "object": Mapping}
    return isinstance(value, kinds[schema["type"]])  # type: ignore[arg-type]


def _describe(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_describe(one) for one in schema["anyOf"])
    names = {"integer": "an integer", "number": "a number", "string": "a string", "boolean": "true or false"}
    names |= {"array": "a list of numbers", "null": "null", "object": "an object"}
    return names[schema["type"]]


def _object(cls: Any, kind: str) -> dict[str, Any]:
    """Return the schema of a step or rule."""
    types_of, fields = hints(cls), dataclasses.fields(cls)
    return {
        "type": "object",
        "required": [kind, *(field.name for field in fields if _is_required(field))],
        "additionalProperties": False,
        "properties": {kind: {"const": cls.name}, **{one.name: _type_schema(types_of[one.name]) for one in fields}},
    }


def _type_schema(hint: Any) -> dict[str, Any]:
    """Return the schema of a type of a field."""
    simple = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}
    if hint in simple:
        return {"type": simple[hint]}
    if hint is SizeRule:
        return {"oneOf": [_object(rule, "rule") for rule in RULES.values()]}
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return {"anyOf": [_type_schema(one) for one in typing.get_args(hint)]}
    if typing.get_origin(hint) is tuple:
        return {"type": "array", "minItems": 1, "items": _type_schema(typing.get_args(hint)[0])}
    return {"type": "object"}
