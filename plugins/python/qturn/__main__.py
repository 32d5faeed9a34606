"""The program: `python -m qturn`, and the command `qturn` that pip installs."""
import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).parent / "bin" / "qturn"
    os.execv(program, ["qturn", *sys.argv[1:]])


if __name__ == "__main__":
    main()
