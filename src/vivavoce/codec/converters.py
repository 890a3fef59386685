"""The two converters: one is fast, the other finds all faults and is asked where the first one fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import datetime
from types import UnionType
from typing import Any, Union, get_args, get_origin

from cattrs import Converter
from cattrs.fns import identity

from vivavoce.codec import values
from vivavoce.codec.shapes import SHAPES, Shape, make_reader, make_writer
from vivavoce.records import Rate


def _is_optional(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType) and len(get_args(kind)) == 2 and type(None) in get_args(kind)


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _is_mapping(kind: Any) -> bool:
    return get_origin(kind) in (dict, Mapping)


def _is_object(kind: Any) -> bool:
    """Tell whether values are plain JSON already: objects of anything."""
    return _is_mapping(kind) and get_args(kind)[1] in (object, Any)


def _make_converter(*, thorough: bool) -> Converter:
    converter = Converter(detailed_validation=thorough, unstruct_collection_overrides={tuple: list})
    converter.register_structure_hook_factory(is_dataclass, make_reader)
    converter.register_unstructure_hook_factory(is_dataclass, make_writer)
    converter.register_structure_hook_factory(_is_optional, values.make_optional_reader)
    converter.register_structure_hook_factory(_is_tuple, values.make_tuple_reader)
    converter.register_structure_hook_factory(_is_mapping, values.make_mapping_reader)
    converter.register_structure_hook_func(_is_object, values.read_object)
    converter.register_unstructure_hook_func(_is_object, dict)
    converter.register_structure_hook_func(lambda kind: kind is object, lambda value, _: value)
    converter.register_unstructure_hook_func(lambda kind: kind is object, identity)
    for kind, read in values.READERS.items():
        converter.register_structure_hook(kind, read)
    converter.register_unstructure_hook(float, values.write_number)
    converter.register_unstructure_hook(datetime, datetime.isoformat)
    converter.register_unstructure_hook(Rate, values.write_rate)
    return converter


SHAPES[Rate] = Shape(optional={"low": None, "high": None})
FAST, THOROUGH = _make_converter(thorough=False), _make_converter(thorough=True)
FAST.register_structure_hook(Rate, values.read_rate)
