#!/bin/bash
# Sourced by the measuring scripts in bash: $work, a folder below $WORK that goes at the end, and medians.
work=$(mktemp -d -p "${WORK:-/var/tmp}" "$(basename "$0").XXXXXX")
trap 'rm -rf "$work"' EXIT

median() { # COLUMN FILE; of an even number of rows the lower one of two
  cut -d ' ' -f "$1" "$2" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}
