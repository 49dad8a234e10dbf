# SPDX-License-Identifier: Apache-2.0
"""Models: what the rows of a table are like, as classes. docs/python.md says how to use them.

class Account(Model):
    id: str = key()
    balance: int = field(minimum=0)
    owner: Optional[str] = None

    class Meta:
        table = "accounts"
"""

from __future__ import annotations

import json
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Generic, NoReturn, Optional, TypeVar

from oscommit import _oscommit
from oscommit._named import did_you_mean
from oscommit._schema import RULES, rules_of
from oscommit.exceptions import BaseError, ContentionError, InvalidFieldError, error_of

M = TypeVar("M", bound="Model")
T = TypeVar("T")
_KEY, _SORT_KEY, _PLAIN = "KEY", "SORT_KEY", ""
_NONE: Any = object()


def fault_of(failure: _oscommit.Error) -> BaseError:
    """What a step of a transaction raises."""
    kinds: dict[str, type[BaseError]] = {"OS_ERR_ARGUMENT": InvalidFieldError, "OS_ERR_CONFLICT": ContentionError}
    error = error_of(failure, kinds.get(failure[0]))
    if isinstance(error, ContentionError):
        error.retryable = True
    return error


def ask(call: Callable[..., T], *arguments: Any) -> T:
    try:
        return call(*arguments)
    except _oscommit.Failure as failure:
        raise fault_of(failure.args) from None


def json_of(value: Any, of: str) -> str:
    """`of` names what it is a value of, for the sentence."""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidFieldError(f"{of}: the value is no JSON: {error}.") from error


def native_of(model: Any) -> _oscommit.Model:
    """Of a class that is a model, or of Intents."""
    if not hasattr(model, "_model"):
        raise TypeError(f"A table is named by a model, which is a class, or by oscommit.Intents(...): {model!r} is none.")
    native: _oscommit.Model = model._model()
    return native


class Field:
    """A field of a model: the attribute of a row reads it, and sets it."""

    def __init__(self, role: str, default: Any, name: str | None, rules: Mapping[str, Any]) -> None:
        self.role, self.default, self.given_name = role, default, name
        self.rules = self.given_rules = dict(rules)
        self.name = self.attribute = ""
        self.optional = False

    def of(self, model: str, attribute: str, annotation: Any) -> Field:
        """The same, of an attribute with an annotation."""
        rules, optional = rules_of(f"{model}.{attribute}", annotation)
        made = Field(self.role, self.default, self.given_name, self.given_rules)
        made.rules = {**rules, **self.given_rules}
        made.attribute, made.name, made.optional = attribute, self.given_name or attribute, optional
        if self.default is None and not optional:
            raise TypeError(f"{model}.{attribute} has the default None, and is not Optional.")
        return made

    def schema(self) -> dict[str, Any]:
        given = self.default is not _NONE and self.default is not None
        return {**self.rules, "default": self.default} if given else self.rules

    def __get__(self, row: Model | None, owner: type | None = None) -> Any:
        if row is None:
            return self
        text = ask(row._row.get, self.name)
        value = None if text is None else json.loads(text)
        return float(value) if self.rules["type"] == "number" and value is not None else value

    def __set__(self, row: Model, value: Any) -> None:
        of = f"{type(row).__name__}.{self.attribute}"
        ask(row._row.set, self.name, None if value is None else json_of(value, of))


def _rules_from(given: Mapping[str, Any], schema: Mapping[str, Any] | None) -> dict[str, Any]:
    for name in given:
        if name not in RULES:
            raise TypeError(f'A field has no rule "{name}".{did_you_mean(name, RULES)} There are: {", ".join(RULES)}.')
    return {**{RULES[name]: value for name, value in given.items()}, **(schema or {})}


def field(
    *,
    default: Any = _NONE,
    read_only: bool = False,
    name: str | None = None,
    schema: Mapping[str, Any] | None = None,
    **rules: Any,
) -> Any:
    """A field with rules: minimum, maximum, min_length, max_length, pattern, min_items, max_items.

    read_only   it is set when the row is created, and never again
    name        how the table calls it [as the attribute]
    schema      further words of JSON Schema for its value, such as {"properties": ...}"""
    more = {"readOnly": True} if read_only else {}
    return Field(_PLAIN, default, name, {**_rules_from(rules, schema), **more})


def key(*, name: str | None = None, schema: Mapping[str, Any] | None = None, **rules: Any) -> Any:
    """A part of the partition key. A row is found by its key, which never changes."""
    return Field(_KEY, _NONE, name, _rules_from(rules, schema))


def sort_key(
    *, default: Any = _NONE, name: str | None = None, schema: Mapping[str, Any] | None = None, **rules: Any
) -> Any:
    """A part of the sort key: rows with the same partition key are in its order."""
    return Field(_SORT_KEY, default, name, _rules_from(rules, schema))


@dataclass(frozen=True)
class Index:
    """An index of a table. All are names of fields."""

    key: Sequence[str]
    sort_key: Sequence[str] = ()
    include_only: Sequence[str] | None = None
    """What its rows have beside the keys. None: everything."""
    sparse: bool = False
    """It leaves out rows without a value for its key, whose fields may be optional then."""

    def __post_init__(self) -> None:
        for name in ("key", "sort_key", "include_only"):
            given = getattr(self, name)
            if isinstance(given, str):
                raise TypeError(f'{name} of an Index is a list of names: {name}=["{given}"].')


@dataclass(frozen=True)
class Key(Generic[M]):
    """The key of a row."""

    model: type[M]
    parts: Mapping[str, Any]


# ------------------------------------------------------------------------------------------------------------ classes

_META = ("table", "title", "indexes", "expire", "index_include_keys")


def _raw(cls: type, name: str) -> Any:
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), _NONE)


def _is_class_variable(annotation: Any) -> bool:
    return annotation is ClassVar or typing.get_origin(annotation) is ClassVar


def _fields_of(cls: type[Model]) -> dict[str, Field]:
    fields = {}
    annotations = typing.get_type_hints(cls)
    for name, given in vars(cls).items():
        if isinstance(given, Field) and name not in annotations:
            raise TypeError(f"{cls.__name__}.{name} has no type. Write one, such as {name}: str = ...")
    for name, annotation in annotations.items():
        if name.startswith("_") or _is_class_variable(annotation):
            continue
        if hasattr(Model, name):
            raise TypeError(
                f"{cls.__name__}.{name}: a row has something else of that name. Choose another, and give this one to the "
                f'table: field(name="{name}").'
            )
        given = _raw(cls, name)
        spec = given if isinstance(given, Field) else Field(_PLAIN, given, None, {})
        fields[name] = spec.of(cls.__name__, name, annotation)
    _check_names(cls.__name__, fields)
    return fields


def _check_names(model: str, fields: Mapping[str, Field]) -> None:
    attributes: dict[str, str] = {}
    for attribute, one in fields.items():
        other = attributes.setdefault(one.name, attribute)
        if other != attribute:
            raise TypeError(f'{model}.{other} and {model}.{attribute} are one field of the table, "{one.name}".')


def _meta_of(cls: type[Model]) -> dict[str, Any]:
    given = vars(cls).get("Meta", object)
    meta = {name: getattr(given, name) for name in dir(given) if name[:2] != "__"}
    for name in meta:
        if name not in _META:
            raise TypeError(
                f'Meta of {cls.__name__} has "{name}", which is not known.{did_you_mean(name, _META)} '
                f"There are: {', '.join(_META)}."
            )
    return meta


def _schema_of(cls: type[Model], meta: Mapping[str, Any]) -> dict[str, Any]:
    fields = cls._fields.values()
    names = {one.attribute: one.name for one in fields}

    def named(attributes: Sequence[str]) -> list[str]:
        return [names.get(attribute, attribute) for attribute in attributes]

    schema: dict[str, Any] = {
        "title": meta.get("title", cls.__name__),
        "type": "object",
        "properties": {one.name: one.schema() for one in fields},
        "required": [one.name for one in fields if not one.optional],
    }
    for role in (_KEY, _SORT_KEY):
        parts = [one.name for one in fields if one.role == role]
        if parts:
            schema[role] = parts
    indexes = {}
    for name, index in meta.get("indexes", {}).items():
        if not isinstance(index, Index):
            raise TypeError(f'The index "{name}" of {cls.__name__} is no Index: write Index(key=[...]).')
        indexes[name] = {"KEY": named(index.key), "SPARSE": index.sparse}
        if index.sort_key:
            indexes[name]["SORT_KEY"] = named(index.sort_key)
        if index.include_only is not None:
            indexes[name]["INCLUDE_ONLY"] = named(index.include_only)
    if indexes:
        schema["INDEXES"] = indexes
    if meta.get("expire"):
        schema["EXPIRE_EPOCH_FIELD"] = named([meta["expire"]])[0]
    if meta.get("index_include_keys"):
        schema["INDEX_INCLUDE_KEYS"] = True
    return schema


class Model:
    """The base of all models. An instance is a row of a transaction: its attributes are its fields, and what was read or set
    becomes a part of the commit. It lives as long as the run of the transaction's function.

    A class without a key is a base for others. `Meta` has these, all optional:

        table     the name of the table [that of the class]
        title     the model's name in the schema [that of the class]
        indexes   {"byOwner": Index(key=["owner"], sparse=True)}
        expire    the field with the time when a row expires, in seconds since 1970
        index_include_keys   the parts of the key are attributes of their own, for filters on what an index gives"""

    _fields: ClassVar[dict[str, Field]] = {}
    _native: ClassVar[Optional[_oscommit.Model]] = None  # noqa: UP045 - evaluated, in Python 3.9, too
    _row: _oscommit.Row

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls._fields = _fields_of(cls)
        meta = _meta_of(cls)
        for name, one in cls._fields.items():
            setattr(cls, name, one)
        cls._native = None
        if any(one.role == _KEY for one in cls._fields.values()):
            finalizes = cls.finalize is not Model.finalize
            cls._native = ask(_oscommit.model, json_of(_schema_of(cls, meta), cls.__name__), meta.get("table"), finalizes)

    def __init__(self, *_: NoReturn, **__: NoReturn) -> None:
        raise TypeError(
            f"A row of {type(self).__name__} comes from a transaction: tx.create({type(self).__name__}, ...)."
        )

    @classmethod
    def _of(cls: type[M], row: _oscommit.Row) -> M:
        made = cls.__new__(cls)
        object.__setattr__(made, "_row", row)
        return made

    @classmethod
    def _model(cls) -> _oscommit.Model:
        if cls._native is None:
            raise TypeError(f"{cls.__name__} has no key(), so it is a base for models, and has no rows.")
        return cls._native

    @classmethod
    def _named(cls, fields: Mapping[str, Any]) -> dict[str, Any]:
        """By the names that the table has."""
        if not isinstance(fields, Mapping):
            raise TypeError(f'Fields of {cls.__name__} are given by their names, as {{"name": value}}: {fields!r} is not.')
        for attribute in fields:
            if attribute not in cls._fields:
                raise InvalidFieldError(
                    f'{cls.__name__} has no field "{attribute}".{did_you_mean(attribute, cls._fields)}'
                )
        return {cls._fields[attribute].name: value for attribute, value in fields.items()}

    @classmethod
    def _json_of(cls, fields: Mapping[str, Any]) -> str:
        named = cls._named(fields)
        try:
            return json_of(named, cls.__name__)
        except InvalidFieldError:
            for attribute, value in fields.items():
                json_of(value, f"{cls.__name__}.{attribute}")  # the one to blame
            raise

    @classmethod
    def key(cls: type[M], *values: Any, **parts: Any) -> Key[M]:
        """The key of a row: its parts in the order of the class, those of the partition key first, or by their names."""
        names = [one.attribute for role in (_KEY, _SORT_KEY) for one in cls._fields.values() if one.role == role]
        if len(values) > len(names):
            raise TypeError(f"A key of {cls.__name__} has {len(names)} parts: {', '.join(names)}.")
        for part in parts:
            if part not in names:
                raise InvalidFieldError(
                    f'A key of {cls.__name__} has no part "{part}".{did_you_mean(part, names)} It has: {", ".join(names)}.'
                )
        return Key(cls, {**dict(zip(names, values)), **parts})

    @classmethod
    def table_resource(cls) -> dict[str, Any]:
        """The table as `Client.table(..., create=True)` makes it at DynamoDB, as a resource of a CloudFormation template, of the
        type AWS::DynamoDB::Table. It is kept when the template lets go of it, or replaces it. Sends nothing."""
        resource: dict[str, Any] = json.loads(ask(_oscommit.table_resource, cls._model()))
        return resource

    @property
    def is_new(self) -> bool:
        """Whether it is not in the table yet."""
        return self._row.is_new()

    def finalize(self, tx: Any) -> Any:
        """For a model to have: is called before the commit with each row that is made or changed, and of which all fields are
        known. It may set fields, and do with the transaction what its function may. Of an async transaction it may be a
        coroutine. Rows that it makes are finalized, too."""

    def increment(self, field: str, value: int | float = 1) -> None:
        """Adds to a number without reading it: others may add at the same time."""
        name = self._named({field: value})
        add = self._row.add if isinstance(value, int) else self._row.add_double
        ask(add, next(iter(name)), value)

    def as_dict(self) -> dict[str, Any]:
        """All fields that have a value; what outlives the transaction. All become a part of the commit."""
        values = {name: getattr(self, name) for name in self._fields}
        return {name: value for name, value in values.items() if value is not None}

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._fields:
            raise AttributeError(f'{type(self).__name__} has no field "{name}".{did_you_mean(name, self._fields)}')
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        keys = [name for name, one in self._fields.items() if one.role]
        try:
            return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in keys)})"
        except RuntimeError:
            return f"<{type(self).__name__} of a transaction that has ended>"
