"""Four ranks under Open MPI, and the merge: what one process writes.

usage: mpi.py QTURN

Exits with 4, and says why, where Open MPI is missing.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from data_set import make_data_set, tree_of

SECONDS = 200


def main():
    qturn = sys.argv[1]
    mpirun = shutil.which("mpirun.openmpi")
    if not mpirun:
        print("skipped: mpirun.openmpi not found; scripts/setup --all installs Open MPI")
        sys.exit(4)
    # Of another scheduler that this test itself may run in.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "OMPI_", "PMI"))}
    with tempfile.TemporaryDirectory(prefix="qturn-mpi-") as name:
        folder = pathlib.Path(name)
        make_data_set(folder / "data")

        def run(*words):
            done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
            print(done.stdout, done.stderr)
            assert done.returncode == 0, words
            return done.stderr

        run(qturn, "augment", "data", "-o", "whole")
        said = run(mpirun, "--allow-run-as-root", "--oversubscribe", "--timeout", "150", "-n", "4",
                   qturn, "augment", "data", "-o", "out", "--shard", "auto", "--resume")
        for rank in range(4):
            assert f"shard {rank} of 4 (OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE)" in said, rank
        run(qturn, "merge", "out")
        assert tree_of(folder / "out") == tree_of(folder / "whole"), "the ranks have written something else than one process"


if __name__ == "__main__":
    main()
