#!/usr/bin/env bash
# The version that CMake has is everybody's: version.sh VERSION SOURCES
set -euo pipefail
cd "$2"
expect() {
  [[ $1 == "$2" ]] || { echo "$3 says '$2', CMakeLists.txt $1" >&2 && exit 1; }
}
expect "$1" "$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' CHANGELOG.md | head -n 1)" CHANGELOG.md
# pyproject.toml and scripts/release have none of their own; they read CMakeLists.txt, each with its own pattern.
expect "$1" "$(python3 -c 'import re, tomllib
own = tomllib.load(open("pyproject.toml", "rb"))
assert "version" in own["project"]["dynamic"]
version = own["tool"]["scikit-build"]["metadata"]["version"]
print(re.search(version["regex"], open(version["input"]).read())["value"])')" pyproject.toml
expect "$1" "$(scripts/release --version)" scripts/release
expect "$1" "$(sed -n 's/^#define QTURN_VERSION_[A-Z]* \([0-9]*\)$/\1/p' kernels/include/qturn/version.h | paste -sd .)" version.h
expect "$1" "$(sed -n 's/.*"version": "\([0-9.]*\)".*/\1/p' packaging/vcpkg/vcpkg.json)" packaging/vcpkg/vcpkg.json
# The packages that the documents install.
expect "$1" "$(grep -hoE 'qturn[-_][0-9]+\.[0-9.]+[0-9]' README.md docs/for-*.md | sed 's/.*[-_]//' | sort -u | tr '\n' ' ' | sed 's/ $//')" "README.md or docs/for-*.md"
