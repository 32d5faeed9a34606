#!/usr/bin/env bash
# Compiles SOURCE to PROGRAM with what pkg-config says of PACKAGE in LIBDIR:
# consumer_pkg_config.sh PKG_CONFIG LIBDIR PACKAGE COMPILER SOURCE PROGRAM [FLAG...]
set -euo pipefail
pkg_config=$1 libdir=$2 package=$3 compiler=$4 source=$5 program=$6
export PKG_CONFIG_PATH=$libdir/pkgconfig
flags=$("$pkg_config" --cflags --libs "$package")
[[ $flags == *"-I$libdir/pkgconfig/../"* ]] || { echo "not relative to the file: $flags" >&2 && exit 1; }
for flag in $flags; do
  [[ $flag != -L* || -d ${flag#-L} ]] || { echo "no folder: $flag" >&2 && exit 1; }
done
# shellcheck disable=SC2086 # they are words
exec "$compiler" "$source" -o "$program" $flags "${@:7}"
