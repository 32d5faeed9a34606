#!/usr/bin/env python3
"""Turns each picture exactly once, whatever happens in between: random sequences against a model that knows what is right.

  once.py QTURN DISTURBED_DISK [--sequences N] [--seed S] [-v]

A sequence is one command in place, `rotate90 in`, that is killed at a system call, gets a signal at any moment, finds no
room, runs twice at the same time, and is resumed. In between pictures are renamed, moved, edited, added and deleted,
other commands run in the folder, runs are taken back in any order, and records are damaged. After each step, each
picture must be what it was, or turned once by what ran; after an exit status 0 each is turned once, with its label
and its mask.
With a backup, each original must be in place or kept.

A finding names the seed, so that `--sequences 1 --seed S -v` shows it step by step.
"""
import argparse
import multiprocessing
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

COMMAND = "rotate90"


class Finding(Exception):
    pass


def turned(rows, operation):
    if operation == "rotate90":
        return tuple(zip(*rows[::-1]))
    if operation == "rotate270":
        return tuple(zip(*rows))[::-1]
    assert operation == "flop"
    return tuple(row[::-1] for row in rows)


def turned_label(label, operation):
    x, y, w, h = label
    if operation == "rotate90":
        return 100 - y, x, h, w
    if operation == "rotate270":
        return y, 100 - x, h, w
    return 100 - x, y, w, h


INVERSE = {"rotate90": "rotate270", "flop": "flop"}


def write_ppm(path, rows):
    path.write_bytes(b"P6\n%d %d\n255\n" % (len(rows[0]), len(rows)) + b"".join(bytes(p) for row in rows for p in row))


def read_ppm(path):
    _, width, height, _, samples = split_ppm(path.read_bytes())
    pixels = [tuple(samples[i:i + 3]) for i in range(0, 3 * width * height, 3)]
    return tuple(tuple(pixels[y * width:(y + 1) * width]) for y in range(height))


def split_ppm(content):
    head, at = [], 0
    while len(head) < 4:
        end = at
        while not content[end:end + 1].isspace():
            end += 1
        head.append(content[at:end])
        at = end + 1
    return head[0], int(head[1]), int(head[2]), head[3], content[at:]


def write_label(path, label):
    path.write_text("0 " + " ".join("%.2f" % (value / 100) for value in label) + "\n")


def read_label(path):
    return tuple(round(100 * float(word)) for word in path.read_text().split()[1:])


class Companion:
    """A label or a mask, in a file beside its picture."""

    def __init__(self, what, ending, content, write, read, turned):
        self.what, self.ending, self.content, self.write, self.read, self.turned = what, ending, content, write, read, turned
        self.turns = 0  # by the command

    def path(self, picture):
        return picture.with_name(picture.stem + self.ending)


class Picture:
    def __init__(self, path, rows, companions=()):
        self.path, self.rows, self.companions = path, rows, companions
        self.turns = 0  # by the command
        self.is_loose = False  # it may also be left
        self.is_renamed = self.is_changed = False  # since the command; changed: by another one
        self.original = rows

    def rename(self, to):
        for companion in self.companions:
            companion.path(self.path).rename(companion.path(to))
        self.path.replace(to)
        self.path, self.is_renamed = to, True
        self.forget()

    def forget(self):
        """Neither its name nor its content is known any more, so it counts as new."""
        if self.is_renamed and self.is_changed:
            self.begin_again()

    def begin_again(self):
        for each in (self, *self.companions):
            each.turns = 0

    def contents(self):
        return [self.rows, *(companion.content for companion in self.companions)]


class Sequence:
    def __init__(self, options, seed):
        self.options, self.seed = options, seed
        self.random = random.Random(seed)
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="once-", dir=options.scratch))
        self.root = self.work / "in"
        self.root.mkdir()
        self.count = 0
        self.pictures = [self.new_picture() for _ in range(self.random.randint(3, 6))]
        self.has_backup = self.random.random() < 0.3
        self.always_resumes = self.random.random() < 0.4
        self.has_state = not self.always_resumes or self.random.random() < 0.6
        self.is_begun = False
        self.damaged = {}  # path: content
        self.others = []  # commands that were killed, and their pictures

    def say(self, *words):
        if self.options.v:
            print("  ", *words)

    def new_picture(self):
        self.count += 1
        rows = tuple(tuple(tuple(self.random.randbytes(3)) for _ in range(3)) for _ in range(2))
        path = self.root / f"p{self.count}.ppm"
        if self.random.random() < 0.2:
            path = self.root / "deep" / path.name
        path.parent.mkdir(exist_ok=True)
        write_ppm(path, rows)
        companions = []
        if self.random.random() < 0.4:
            label = tuple(self.random.sample(range(20, 40), 4))
            companions.append(Companion("label", ".txt", label, write_label, read_label, turned_label))
        if self.random.random() < 0.2:
            mask = tuple(tuple((self.random.randrange(256),) * 3 for _ in range(3)) for _ in range(2))
            companions.append(Companion("mask", "_mask.ppm", mask, write_ppm, read_ppm, turned))
        for companion in companions:
            companion.write(companion.path(path), companion.content)
        return Picture(path, rows, companions)

    # --- running the program

    def start(self, words, more=None, limit=None):
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "ASAN_OPTIONS": "verify_asan_link_order=0"}
        if self.has_state:
            environment["XDG_STATE_HOME"] = str(self.work / "state")
        environment.update(more or {})

        def prepare():
            if limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return subprocess.Popen([self.options.qturn, *words], cwd=self.work, env=environment, preexec_fn=prepare,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def end(self, process):
        try:
            error = process.communicate(timeout=60)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            raise Finding("it does not end")
        if process.returncode not in (0, 1, 2, 130, 143, -signal.SIGKILL, -signal.SIGTERM):
            raise Finding(f"exit {process.returncode}: {error}")
        if "terminate called" in error:
            raise Finding(error)
        self.error = error
        return process.returncode

    def command(self, *more):
        words = [COMMAND, "in", "--in-place", "-j", "1"]
        if self.has_backup:
            words += ["--backup", "kept"]
        return words + list(more)

    def run_command(self, *more, how="whole"):
        """The command, disturbed or not; afterwards the model knows what it has done."""
        words = self.command(*more)
        if how == "kill":
            call = self.random.randint(1, 90)
            self.say("kill at call", call, *more)
            status = self.end(self.start(words, {"LD_PRELOAD": self.options.disturbed_disk, "QTURN_TEST_KILL": str(call)}))
        elif how == "signal":
            process = self.start(words)
            time.sleep(self.random.random() * 0.05)
            process.send_signal(signal.SIGTERM)
            status = self.end(process)
        elif how == "full":
            status = self.end(self.start(words, limit=self.random.randint(1, 2000)))
        elif how == "twice":
            first, second = self.start(self.command("--resume")), self.start(self.command("--resume"))
            status = min(self.end(first), self.end(second))
        else:
            status = self.end(self.start(words))
        self.say(how, *more, "->", status, self.error.strip().replace("\n", " | ")[-300:])
        self.look(COMMAND, status)
        if status in (130, 143) and "interrupted" not in self.error:
            raise Finding(f"exit {status}, and no word of it: {self.error}")
        return status

    # --- what is right

    def look(self, operation, status, only=None):
        is_command = operation == COMMAND
        for picture in self.pictures:
            before = picture.turns, *(companion.turns for companion in picture.companions)
            if not picture.path.exists():
                there = sorted(str(path.relative_to(self.work)) for path in self.work.rglob("*"))
                raise Finding(f"{picture.path.name} is lost; there are {there}; {self.error}")
            now = read_ppm(picture.path)
            if now != picture.rows:
                if now != turned(picture.rows, operation):
                    raise Finding(f"{picture.path.name} is neither what it was nor turned by {operation}")
                if only is not None and picture is not only:
                    raise Finding(f"{picture.path.name} was turned, and not asked for")
                if is_command and picture.turns == 1:
                    raise Finding(f"{picture.path.name} was turned twice")
                picture.rows = now
                picture.turns += is_command
            for companion in picture.companions:
                whose = f"the {companion.what} of {picture.path.name}"
                content = companion.read(companion.path(picture.path))
                if content == companion.content:
                    continue
                if content != companion.turned(companion.content, operation):
                    raise Finding(f"{whose} is {content}, it was {companion.content}")
                if is_command and companion.turns == 1:
                    raise Finding(f"{whose} was turned twice")
                companion.content = content
                companion.turns += is_command
            after = picture.turns, *(companion.turns for companion in picture.companions)
            if is_command and status == 0 and len(set(after)) > 1 and len({a - b for a, b in zip(after, before)}) > 1:
                raise Finding(f"{picture.path.name} and what belongs to it are not turned together")
        if status == 2 and is_command:
            return
        is_ended = "cannot write the journal" in self.error  # before the first picture
        if is_command and status in (0, 1) and not (status == 1 and is_ended):
            for picture in self.pictures:
                in_step = all(companion.turns == picture.turns for companion in picture.companions)
                if picture.turns == 0 and not picture.is_loose and (status == 0 or in_step):
                    if status == 0 or picture.path.name not in self.error:
                        raise Finding(f"exit {status}, but {picture.path.name} is not turned")
        self.look_at_originals()

    def look_at_originals(self):
        if not self.has_backup:
            return
        there = {read_ppm(path) for path in self.work.rglob("*.ppm")}
        for picture in self.pictures:
            if picture.original not in there:
                raise Finding(f"the original of {picture.path.name} is lost")

    # --- what happens in between

    def rename(self):
        picture = self.random.choice(self.pictures)
        self.count += 1
        to = picture.path.parent / f"renamed {self.count}.ppm"
        if self.random.random() < 0.4:
            to = self.root / "moved" / picture.path.name
        if to.exists():
            return
        to.parent.mkdir(exist_ok=True)
        self.say("rename", picture.path.name, "to", to.relative_to(self.root))
        picture.rename(to)

    def swap_into_gap(self):
        """One picture is deleted, and another gets its name."""
        if len(self.pictures) < 3:
            return
        gone, other = self.random.sample([p for p in self.pictures], 2)
        if gone.companions or other.companions:
            return
        self.say(other.path.name, "takes the place of", gone.path.name)
        other.rename(gone.path)
        # What has not been turned may be taken for one that was edited.
        other.is_loose = other.is_loose or other.turns == 0
        self.pictures.remove(gone)

    def delete(self):
        if len(self.pictures) < 2:
            return
        picture = self.random.choice(self.pictures)
        self.say("delete", picture.path.name)
        picture.path.unlink()
        for companion in picture.companions:
            companion.path(picture.path).unlink()
        self.pictures.remove(picture)

    def edit(self):
        picture = self.random.choice(self.pictures)
        if picture.companions:
            return
        self.say("edit", picture.path.name)
        rows = tuple(tuple(tuple(self.random.randbytes(3)) for _ in range(3)) for _ in range(2))
        write_ppm(picture.path, rows)
        picture.rows = picture.original = rows
        picture.turns, picture.is_loose = 0, True

    def add(self):
        self.pictures.append(self.new_picture())
        self.say("add", self.pictures[-1].path.name)

    def other_run(self):
        picture = self.random.choice(self.pictures)
        words = ["flop", str(picture.path.relative_to(self.work)), "--in-place"]
        if self.has_backup:
            words += ["--backup", "kept"]
        if self.random.random() < 0.2:
            words += ["--restart"]
        was = picture.rows
        how = {}
        if self.random.random() < 0.3:
            how = {"LD_PRELOAD": self.options.disturbed_disk, "QTURN_TEST_KILL": str(self.random.randint(1, 40))}
        status = self.end(self.start(words, how))
        if status < 0:
            self.others.append(([word for word in words if word != "--restart"], picture))
        self.say(*words, "->", status, self.error.strip().replace("\n", " | ")[-300:])
        self.look_at_other(picture, was, status)
        if status == 0 and picture.rows == was:
            raise Finding("exit 0, but another run has not turned its picture")

    def look_at_other(self, picture, was, status):
        self.look("flop", status, only=picture)
        if picture.rows == was:
            return
        picture.is_loose = picture.is_changed = True
        picture.forget()

    def finish_others(self):
        """What a killed command has left stands in the way of one above or below it."""
        for words, picture in self.others:
            if picture in self.pictures and (self.work / words[1]).exists():
                was = picture.rows
                status = self.end(self.start([*words, "--resume"]))
                self.say(*words, "--resume ->", status, self.error.strip()[-200:])
                self.look_at_other(picture, was, status)
        for journal in self.root.rglob(".qturn-journal*"):
            if b'"operation":"flop' in journal.read_bytes():
                journal.unlink()  # as it says

    def restore(self):
        kept = self.work / "kept"
        if not kept.exists():
            return
        runs = sorted(kept.iterdir())
        if not runs:
            return
        run = self.random.choice(runs)
        # The record says which operation it was.
        record = next((path.read_text(errors="replace") for path in sorted(run.glob("qturn-run*")) if path.stat().st_size), "")
        operation = "flop" if '"operation":"flop' in record else COMMAND
        before = [(picture, picture.contents()) for picture in self.pictures]
        status = self.end(self.start(["restore", str(run)]))
        self.say("restore", run.name, operation, "->", status, self.error.strip().replace("\n", " | ")[-300:])
        self.look(INVERSE[operation], status)
        for picture, contents in before:
            if picture.contents() == contents:
                continue
            picture.is_loose = picture.is_changed = True
            picture.forget()
            if operation == COMMAND:
                picture.begin_again()

    def damage(self):
        """One byte of a record that is not in use; it is put right before the end."""
        records = [path for path in self.work.rglob("*") if path.is_file() and path not in self.damaged and
                   (path.name.startswith(".qturn-journal") or path.suffix == ".jsonl") and path.stat().st_size]
        if not records:
            return
        record = self.random.choice(records)
        content = bytearray(record.read_bytes())
        self.damaged[record] = bytes(content)
        at = self.random.randrange(len(content))
        content[at] = 0 if self.random.random() < 0.2 else content[at] ^ (1 << self.random.randrange(8))
        record.write_bytes(content)
        self.say("damage", record.relative_to(self.work), "at", at)

    def put_right(self):
        for record, content in self.damaged.items():
            if record.exists():
                record.write_bytes(content)
        self.damaged = {}

    def resume(self):
        if self.damaged:
            before = [picture.rows for picture in self.pictures]
            status = self.run_command("--resume")
            self.put_right_if_refused(status, before)
        else:
            self.run_command("--resume", how=self.random.choice(["whole", "kill", "kill", "signal", "full", "twice"]))

    def put_right_if_refused(self, status, before):
        if status == 2 and before != [picture.rows for picture in self.pictures]:
            raise Finding("exit 2, but pictures have changed")
        self.put_right()

    # --- a sequence

    def play(self):
        first = ["--resume"] if self.always_resumes else []
        self.run_command(*first, how=self.random.choice(["whole", "kill", "kill", "kill", "signal", "full"]))
        steps = [self.rename, self.rename, self.swap_into_gap, self.delete, self.edit, self.add, self.other_run, self.damage,
                 self.resume, self.resume]
        if self.has_backup:
            steps.append(self.restore)
        for _ in range(self.random.randint(1, 6)):
            self.random.choice(steps)()
        self.put_right()
        status = self.run_command("--resume")
        if status == 2 and "'flop" in self.error:
            self.finish_others()
            status = self.run_command("--resume")
        if status == 2 and "pictures have changed since" in self.error:
            # A journal without a picture, beside pictures that are others now: it may have been cut.
            if any(picture.turns for picture in self.pictures):
                raise Finding(f"its journal has lost pictures: {self.error}")
            status = self.run_command("--restart")
            if not self.has_state:
                return  # nothing says that it is done
        if status == 2 and "other names (hard links)" in self.error:
            return  # a killed run has kept one that was renamed before it was replaced
        if status not in (0, 1):
            raise Finding(f"at the end, exit {status}: {self.error}")
        if status == 1 and not any(name in self.error for name in (".ppm", ".txt")):
            raise Finding(f"it failed, and names nothing: {self.error}")
        before = [picture.contents() for picture in self.pictures]
        again = self.run_command("--resume")
        if again != status or before != [picture.contents() for picture in self.pictures]:
            raise Finding(f"once more, it changes something, or exits {again}: {self.error}")
        left = [path.name for path in self.root.rglob(".*") if not path.name.startswith((".qturn-journal", ".qturn-lock"))]
        if left and status == 0 and not self.others:
            raise Finding(f"left: {left}")

    def close(self):
        shutil.rmtree(self.work, ignore_errors=True)


def play(options_and_seed):
    """Returns a finding, or nothing."""
    options, seed = options_and_seed
    sequence = Sequence(options, seed)
    try:
        sequence.play()
    except Finding as finding:
        return f"seed {seed}: {finding}"
    finally:
        sequence.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("qturn")
    parser.add_argument("disturbed_disk")
    parser.add_argument("--sequences", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    options.qturn, options.disturbed_disk = (os.path.abspath(path) for path in (options.qturn, options.disturbed_disk))
    options.scratch = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    seeds = [(options, seed) for seed in range(options.seed, options.seed + options.sequences)]
    with multiprocessing.Pool(1 if options.v else None) as pool:
        found = [finding for finding in pool.imap(play, seeds) if finding]
    print(*found, f"{options.sequences} sequences, {len(found)} findings", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
