"""What both rules objects need: checks that name the field, the value and what is allowed; dicts and JSON."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Set
from operator import index
from typing import Any, ClassVar, Self

import numpy as np

from kuns_env.errors import RulesError, quoted


def as_integer(value: object) -> int:
    """Return ``value`` as an int.

    Raises:
        TypeError: not an integer; bool and float are refused.
    """
    # An older NumPy gives its bool an index, too.
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{value!r} is not an integer")
    return index(value)  # type: ignore[arg-type]


def integer(name: str, value: object, low: int, high: int, clause: str) -> int:
    """Return ``value`` as an int from ``low`` to ``high``; a bool or float is refused."""
    wanted = f"an integer from {low:,} to {high:,} ({clause})"
    try:
        number = as_integer(value)
    except TypeError:
        raise RulesError(f"{name}={quoted(value)}: must be {wanted}") from None
    if not low <= number <= high:
        raise RulesError(f"{name}={quoted(value)}: must be {wanted}")
    return number


def optional_integer(name: str, value: object, low: int, high: int, clause: str) -> int | None:
    """Return ``value`` as `integer` does, or None."""
    if value is None:
        return None
    try:
        return integer(name, value, low, high, clause)
    except RulesError as error:
        raise RulesError(str(error).replace("must be", "must be None or")) from None


def boolean(name: str, value: object, clause: str) -> bool:
    """Return ``value`` if it is True or False."""
    if not isinstance(value, bool):
        raise RulesError(f"{name}={quoted(value)}: must be True or False ({clause})")
    return value


def ascending(name: str, value: object, most: int, low: int, high: int, clause: str) -> tuple[int, ...]:
    """Return ``value`` as a tuple of 1 to ``most`` distinct ascending integers from ``low`` to ``high``."""
    wanted = f"1 to {most} distinct ascending integers from {low:,} to {high:,} ({clause})"
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise RulesError(f"{name}={quoted(value)}: must be {wanted}")
    entries = tuple(integer(f"{name}[{i}]", entry, low, high, clause) for i, entry in enumerate(value))
    if not 1 <= len(entries) <= most or list(entries) != sorted(set(entries)):
        raise RulesError(f"{name}={quoted(value)}: must be {wanted}")
    return entries


def is_listing(value: object) -> bool:
    """Return whether ``value`` can be gone over in an order of its own: a list, not a text, a mapping or a set."""
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping, Set))


def listed(value: Any) -> Any:
    """Return ``value`` with every iterator in it, and in its lists and mappings, as a list: it can be read twice.

    >>> listed({"deck": iter(["Ah"]), "dealer": 1})
    {'deck': ['Ah'], 'dealer': 1}
    """
    if isinstance(value, Mapping):
        return {key: listed(entry) for key, entry in value.items()}
    if isinstance(value, (Iterator, list, tuple)):
        return [listed(entry) for entry in value]
    return value


def parse_json(text: str | bytes) -> Any:
    """Return the value of JSON ``text``; bytes may be UTF-8, UTF-16 or UTF-32, with or without a mark.

    Raises:
        ValueError: it is no JSON, is of no encoding of text, or is nested too deep to read.
    """
    try:
        return json.loads(text)
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def field_docs(kind: type) -> dict[str, str]:
    """Return the docstring that stands below each field of a dataclass."""
    body = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(body, ast.ClassDef)
    docs = {}
    for line, text in itertools.pairwise(body.body):
        if not isinstance(line, ast.AnnAssign) or not isinstance(line.target, ast.Name):
            continue
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            docs[line.target.id] = inspect.cleandoc(str(text.value.value))
    return docs


class RulesBase:
    """Plain dict and JSON forms of a rules object, and the way back."""

    __slots__ = ()
    game: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Return every field as plain data: ints, bools, None and lists."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}  # type: ignore[arg-type]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Return the rules with these fields; fields that are not named have their defaults.

        Raises:
            RulesError: an unknown field, or a value that is not allowed.
        """
        if not isinstance(fields, Mapping):
            raise RulesError(f"rules must be a mapping of fields, not {quoted(fields)}")
        known = [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]
        for name in fields:
            if name not in known:
                raise RulesError(f"{name!r} is not a field of {cls.__name__}; there are: {', '.join(known)}")
        return cls(**fields)

    @classmethod
    def preset(cls, name: str, fixed: Mapping[str, Any], fields: Mapping[str, Any]) -> Self:
        """Return the rules with ``fixed`` and ``fields``.

        Raises:
            RulesError: a field is one that the preset ``name`` fixes, or a bad one.
        """
        for field in fields:
            if field in fixed:
                raise RulesError(
                    f"{field}={quoted(fields[field])}: {cls.__name__}.{name} fixes {field}={fixed[field]!r}"
                )
        return cls.from_dict({**fields, **fixed})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the rules that `to_json` wrote."""
        try:
            fields = parse_json(text)
        except ValueError as error:
            raise RulesError(f"not the JSON of a rules object: {error}") from None
        return cls.from_dict(fields)
