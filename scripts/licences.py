"""Checks the licence of every package of `cargo metadata` (standard input) against the `allow` list of deny.toml.

Exit 1 and one line a package where no allowed licence satisfies its expression. With `--list` it prints name, version
and licence of each package instead of their number.
"""

import json
import re
import sys


def allowed_list(path):
    text = open(path, encoding="utf-8").read()
    block = re.search(r"^allow = \[(.*?)\]", text, re.S | re.M)
    if not block:
        sys.exit(f"{path}: no `allow = [...]` list")
    return set(re.findall(r'"([^"]+)"', block.group(1)))


def satisfied(expression, allowed):
    """Evaluates an SPDX expression: names are true if allowed, `/` is the old spelling of OR."""
    tokens = re.findall(r"\(|\)|\bAND\b|\bOR\b|\bWITH\b|[^\s()]+", expression.replace("/", " OR "))
    position = 0

    def peek():
        return tokens[position] if position < len(tokens) else None

    def term():
        nonlocal position
        if peek() == "(":
            position += 1
            value = either()
            position += 1
            return value
        name = tokens[position]
        position += 1
        if peek() == "WITH":
            name = f"{name} WITH {tokens[position + 1]}"
            position += 2
        return name in allowed

    def both():
        nonlocal position
        value = term()
        while peek() == "AND":
            position += 1
            value = term() and value
        return value

    def either():
        nonlocal position
        value = both()
        while peek() == "OR":
            position += 1
            value = both() or value
        return value

    return either()


def main():
    allowed = allowed_list(sys.argv[1])
    packages = json.load(sys.stdin)["packages"]
    bad = []
    for package in packages:
        licence = package.get("license")
        if not licence:
            bad.append(f"{package['name']} {package['version']}: no licence expression")
        elif not satisfied(licence, allowed):
            bad.append(f"{package['name']} {package['version']}: {licence}")
        source = package.get("source")
        if source and not source.startswith("registry+"):
            bad.append(f"{package['name']} {package['version']}: comes from {source}, not from the registry")
    for line in bad:
        print(f"licence not allowed by deny.toml: {line}", file=sys.stderr)
    if bad:
        sys.exit(1)
    if "--list" in sys.argv:
        for package in sorted(packages, key=lambda package: (package["name"], package["version"])):
            if package.get("source"):
                print(f"{package['name']} {package['version']}: {package['license']}")
        return
    print(f"licences: {len(packages)} packages, all allowed by deny.toml")


main()
