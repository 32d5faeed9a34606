#!/usr/bin/env bash
# What the shells offer, by the files that are installed for them: completions.sh FOLDER
set -euo pipefail
cd "$1"

# shellcheck source=/dev/null
source ./qturn
offered() {
  COMP_WORDS=(qturn "$@") COMP_CWORD=$#
  COMPREPLY=()
  _qturn
  echo "${COMPREPLY[*]}"
}
expect() {
  local got
  got=$(offered "${@:2}")
  [[ $got == "$1" ]] || { echo "qturn ${*:2}: expected '$1', got '$got'" >&2 && exit 1; }
}
expect "each end never" upright in --fsync ""
expect "reencode" rotate90 --jpeg-edges re
expect "trim tag" cw --jpeg-edges = t
expect "stored upright" augment --labels-drawn-on =
expect "lossless planar" flop --jpeg ""
expect "rotations rotate180 rotate90 rotate270" augment --variants rot
expect "png pnm" upright --format pn
expect "pixels=" check --limit p
expect "--quality" rotate90 --qua

# Every option with a fixed set of values has it in each file.
for option in --fsync --format --jpeg --jpeg-edges --labels --labels-drawn-on --limit --masks --others --png --variants --device; do
  grep -q -- "    $option) offer " qturn || { echo "bash: $option has no values" >&2 && exit 1; }
  grep -qE -- "'$option\[.*\]:[^:]*(\\\\:[^:]*)*:[({].*[)}]'" _qturn || { echo "zsh: $option has no values" >&2 && exit 1; }
  grep -qE -- " -l ${option#--} -[rx].* -a '" qturn.fish || { echo "fish: $option has no values" >&2 && exit 1; }
done
for shell in zsh fish; do
  command -v $shell >/dev/null || continue
  [[ $shell == zsh ]] && file=_qturn || file=qturn.fish
  $shell -n "$file"
done
if command -v fish >/dev/null; then
  got=$(fish -c 'source qturn.fish; complete -C "qturn upright in --fsync "' | cut -f 1 | sort | tr '\n' ' ')
  [[ $got == "each end never " ]] || { echo "fish: expected 'each end never', got '$got'" >&2 && exit 1; }
fi
