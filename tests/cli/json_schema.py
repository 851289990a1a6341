#!/usr/bin/env python3
"""json_schema.py {SCHEMA DOCUMENT}...: checks JSON documents against schemas (the part of draft 7 that ours use)."""

import json
import sys

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}


def has_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def check(value, schema, where):
    """Yields a message for each violation and for each key that the schema does not describe."""
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(has_type(value, name) for name in names):
        yield f"{where}: {value!r:.60} is none of {names}"
    if "const" in schema and value != schema["const"]:
        yield f"{where}: {value!r} is not {schema['const']!r}"
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        for key in schema.get("required", []):
            if key not in value:
                yield f"{where}: no key {key}"
        for key, member in value.items():
            if key in properties:
                yield from check(member, properties[key], f"{where}.{key}")
            elif "properties" in schema:
                yield f"{where}: key {key} is not described"
    if isinstance(value, list):
        for k, entry in enumerate(value):
            yield from check(entry, schema.get("items", {}), f"{where}[{k}]")


def read(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)


def main():
    failures = 0
    for schema, document in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
        for message in check(read(document), read(schema), document):
            print(message)
            failures += 1
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
