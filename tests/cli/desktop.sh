#!/usr/bin/env bash
# What the menus of file managers call: desktop.sh TURN-AND-NOTIFY QTURN SAMPLE
# SAMPLE is a JPEG that can be turned without loss.
set -euo pipefail
script=$1 program=$2 sample=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin"
ln -s "$program" "$work/bin/qturn"
# Writes down what the user would see.
printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"$SEEN"\n' >"$work/bin/notify-send"
chmod +x "$work/bin/notify-send"
export PATH=$work/bin:$PATH XDG_DATA_HOME=$work/data XDG_STATE_HOME=$work/state SEEN=$work/seen
fail() {
  echo "$1" >&2
  cat "$SEEN" >&2
  exit 1
}

name="$work/a picture, -o 1.jpg"
cp "$sample" "$name"
"$script" rotate90 "$name"
grep -q 'Pictures turned' "$SEEN" || fail "no notification of the outcome"
! cmp -s "$sample" "$name" || fail "the picture was not turned"
grep -q "'qturn restore $XDG_DATA_HOME/qturn/" "$SEEN" || fail "the notification does not say how to put it back"
find "$XDG_DATA_HOME/qturn" -name '*.jpg' -exec cmp {} "$sample" \; || fail "the original was not kept"
[[ $(find "$XDG_DATA_HOME/qturn" -name '*.jpg' | wc -l) == 1 ]] || fail "the original was not kept once"

# The next call has a folder of its own, and the way back gives the picture back.
"$script" rotate270 "$name"
[[ $(find "$XDG_DATA_HOME/qturn" -mindepth 1 -maxdepth 1 -type d | wc -l) == 2 ]] || fail "no folder of its own"

# What fails is told, leaves the file, and leaves no empty folder.
echo "not a picture" >"$work/b.jpg"
! "$script" upright "$work/b.jpg" || fail "a failure is not a status"
grep -q 'Not every picture' "$SEEN" || fail "no notification of a failure"
grep -q 'b.jpg' "$SEEN" || fail "the notification does not name the picture"
grep -q 'No file was changed' "$SEEN" || fail "the notification does not say that nothing was changed"
[[ $(cat "$work/b.jpg") == "not a picture" ]] || fail "a file that failed was changed"
[[ $(find "$XDG_DATA_HOME/qturn" -mindepth 1 -maxdepth 1 -type d | wc -l) == 2 ]] || fail "an empty folder is left"

# Without a folder for the originals nothing is turned.
before=$(sha256sum "$name")
! XDG_DATA_HOME=/dev/null "$script" rotate90 "$name" 2>/dev/null || fail "turned without a backup"
[[ $(sha256sum "$name") == "$before" ]] || fail "turned without a backup"

# A folder is taken whole; "Undo" puts its pictures back.
mkdir "$work/folder"
cp "$sample" "$work/folder/a.jpg"
printf '#!/bin/sh\nprintf "%%s\\n" "$@" >>"$SEEN"\nfor word; do [ "$word" != --action=undo=Undo ] || echo undo; done\n' >"$work/bin/notify-send"
: >"$SEEN"
"$script" rotate90 "$work/folder"
cmp "$sample" "$work/folder/a.jpg" || fail "Undo does not put the original back"
grep -q 'Originals put back' "$SEEN" || fail "Undo is not told"
printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"$SEEN"\n' >"$work/bin/notify-send"

# What an interrupted call has left, the same call ends.
printf 'not a picture' >"$work/folder/b.jpg"
! "$script" rotate90 "$work/folder" || fail "a damaged picture is not told"
turned=$(sha256sum "$work/folder/a.jpg")
cp "$sample" "$work/folder/b.jpg"
"$script" rotate90 "$work/folder" || fail "it does not end what was interrupted"
[[ $(sha256sum "$work/folder/a.jpg") == "$turned" ]] || fail "turned twice"
cmp -s "$work/folder/a.jpg" "$work/folder/b.jpg" || fail "the rest was not turned"

# It waits for another call in the same folder, for as long as a user would.
(
  exec 9<>"$work/folder/.qturn-lock"
  python3 -c 'import fcntl, struct, sys; fcntl.fcntl(9, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))'
  touch "$work/locked"
  sleep 2
) &
until [[ -e $work/locked ]]; do sleep 0.1; done
"$script" rotate90 "$work/folder" || fail "it does not wait for another call"
wait

# Originals end after 30 days.
old=$(find "$XDG_DATA_HOME/qturn" -mindepth 1 -maxdepth 1 -type d | sort | head -n 1)
touch -d '31 days ago' "$old/qturn-run.jsonl"
"$script" rotate180 "$work/folder"
[[ ! -e $old ]] || fail "old originals are still kept"

# A file about a picture would not be turned with it: the user decides.
mkdir "$work/labelled"
cp "$sample" "$work/labelled/a.jpg"
printf '12 3\n' >"$work/labelled/a.pts"
! "$script" rotate90 "$work/labelled" || fail "a file about a picture is left behind without a question"
cmp -s "$sample" "$work/labelled/a.jpg" || fail "turned before the answer"
grep -q 'a.pts' "$SEEN" || fail "the question does not name the file"
printf '#!/bin/sh\nfor word; do case $word in --action=leave=*) echo leave ;; esac; done\n' >"$work/bin/notify-send"
"$script" rotate90 "$work/labelled" || fail "not turned after the answer"
! cmp -s "$sample" "$work/labelled/a.jpg" || fail "not turned after the answer"

# Without a desktop, the outcome is on standard error.
printf '#!/bin/sh\nexit 1\n' >"$work/bin/notify-send"
"$script" rotate180 "$name" 2>&1 | grep -q 'Pictures turned' || fail "the outcome is not on standard error"
