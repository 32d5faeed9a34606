"""What the measuring scripts have in common: their words, the program that is measured, and the lines about both that begin a report."""
import os
import pathlib
import platform
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parent.parent


def words(text, fewest=0):
    """Those that the script was called with; the text instead if that is asked for, or if they are too few."""
    found = sys.argv[1:]
    if len(found) < fewest or "-h" in found or "--help" in found:
        sys.exit(text)
    return found


def program(found, at):
    """The program that is named there, or the one of the release build."""
    return str(pathlib.Path(found[at] if len(found) > at else TOP / "build/release/tools/qturn/qturn").resolve())


def rounds(usual):
    return int(os.environ.get("ROUNDS", usual))


def said_by(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return " ".join((done.stdout + done.stderr).split())


def commit():
    return said_by("git", "-C", str(TOP), "describe", "--always", "--dirty")


def day():
    return time.strftime("%F", time.gmtime())


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def print_machine(qturn, *others):
    """When, where and with what it is measured."""
    print(f"Date {day()}, commit {commit()}.")
    print(f"Machine: {processor()}, {os.cpu_count()} cores, {platform.freedesktop_os_release()['PRETTY_NAME']}.")
    print(f"Software: {said_by(qturn, '--version')}; {', '.join(others)}.")
