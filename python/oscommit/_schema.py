# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of a model: what the annotations of a class say."""

from __future__ import annotations

import sys
import typing
from collections.abc import Mapping
from typing import Any, Literal, Union

_PLAIN: dict[Any, str] = {bool: "boolean", int: "integer", float: "number", str: "string"}
_UNIONS: tuple[Any, ...] = (Union,)
if sys.version_info >= (3, 10):
    import types

    _UNIONS = (Union, types.UnionType)
RULES = {
    "minimum": "minimum",
    "maximum": "maximum",
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
    "min_items": "minItems",
    "max_items": "maxItems",
}


def _without_none(annotation: Any) -> tuple[Any, bool]:
    """What an Optional is of, and whether it is one."""
    if typing.get_origin(annotation) not in _UNIONS:
        return annotation, False
    left = [one for one in typing.get_args(annotation) if one is not type(None)]
    optional = len(left) < len(typing.get_args(annotation))
    return (left[0] if len(left) == 1 else annotation), optional


def _literal(values: tuple[Any, ...]) -> dict[str, Any] | None:
    kinds = {type(value) for value in values}
    kind = _PLAIN.get(kinds.pop()) if len(kinds) == 1 else None
    return None if kind is None else {"type": kind, "enum": list(values)}


def _rules(annotation: Any) -> dict[str, Any] | None:
    origin, inner = typing.get_origin(annotation) or annotation, typing.get_args(annotation)
    if origin in _PLAIN:
        return {"type": _PLAIN[origin]}
    if origin is Literal:
        return _literal(inner)
    if origin is list:
        items = _rules(inner[0]) if inner and inner[0] is not Any else {}
        return None if items is None else {"type": "array", **({"items": items} if items else {})}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": True}
    return None


def rules_of(where: str, annotation: Any) -> tuple[dict[str, Any], bool]:
    """The rules of a field, and whether it is optional."""
    inner, optional = _without_none(annotation)
    rules = _rules(inner)
    if rules is None:
        raise TypeError(
            f"{where} is of a type that no field has: {annotation}. There are int, float, str, bool, list, list[...], "
            "dict, Literal[...], and Optional of these."
        )
    return rules, optional
