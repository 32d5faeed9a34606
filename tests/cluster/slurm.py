"""An array of 8 tasks under Slurm, one of them killed and put back into the queue, and the merge: what one process writes.

usage: slurm.py QTURN DISTURBED_DISK

Runs Debian's Slurm on this machine: a controller and two node daemons, and munge for them, all in a temporary folder with ports of
their own. The tasks run docs/cluster/slurm.sh as it is. Exits with 4, and says why, where Slurm cannot run.
"""
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from data_set import make_data_set, tree_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["munged", "munge", "slurmctld", "slurmd", "sbatch", "sinfo", "scontrol"]
SECONDS = 300

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
NodeName=node0 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2
PartitionName=all Nodes=ALL Default=YES State=UP
"""

# Task 3 is killed at its first attempt, as soon as a result is in its place.
WRAPPER = """#!/bin/bash
if [[ ${{SLURM_ARRAY_TASK_ID:-}} == 3 && ! ${{SLURM_RESTART_COUNT:-}} ]]; then
  export LD_PRELOAD={disturbed_disk} QTURN_TEST_SIGNAL=9 QTURN_TEST_SIGNAL_AT=.png
fi
exec {qturn} "$@"
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(4)


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


class Cluster:
    """The daemons, which end with it."""

    def __init__(self, folder, stack):
        self.folder = folder
        self.stack = stack
        self.environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
        for name in list(self.environment):
            if name.startswith("SLURM_") and name != "SLURM_CONF":
                del self.environment[name]
        for name in ["state", "spool.node0", "spool.node1", "bin"]:
            (folder / name).mkdir()
        configuration = CONFIGURATION.format(host=socket.gethostname().split(".")[0], folder=folder, ports=free_ports(3))
        (folder / "slurm.conf").write_text(configuration)
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o400)
        self.start("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={folder}/munge.key",
                   f"--log-file={folder}/munged.log", f"--pid-file={folder}/munged.pid", f"--seed-file={folder}/munge.seed")
        self.wait_for("munge answers", lambda: self.call("munge", "-n", "-S", f"{folder}/munge.socket").returncode == 0)
        self.start("slurmctld", "-D", "-c")
        for node in ["node0", "node1"]:
            self.start("slurmd", "-D", "-N", node)
        self.wait_for("both nodes are idle", lambda: self.call("sinfo", "-h", "-N", "-o", "%t").stdout.split() == ["idle"] * 2)

    def start(self, *words):
        log = self.stack.enter_context(open(self.folder / f"{words[0]}.out", "ab"))
        daemon = subprocess.Popen(words, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        self.stack.callback(self.stop, daemon)

    @staticmethod
    def stop(daemon):
        daemon.terminate()
        try:
            daemon.wait(10)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()

    def call(self, *words, **options):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=SECONDS, **options)

    def wait_for(self, what, condition):
        end = time.monotonic() + 40
        while not condition():
            if time.monotonic() > end:
                logs = "".join(file.read_text(errors="replace")[-1500:] for file in self.folder.glob("*.log"))
                print(logs, file=sys.stderr)
                skip(f"Slurm does not start here: waited until {what}")
            time.sleep(0.1)


def main():
    qturn, disturbed_disk = sys.argv[1:]
    missing = [program for program in PROGRAMS if not shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")]
    if missing:
        skip(f"{', '.join(missing)} not found; scripts/setup --all installs Slurm")
    if os.geteuid() != 0:
        skip("only root can start Slurm's daemons for a test")
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="qturn-slurm-")))
        make_data_set(folder / "data")
        subprocess.run([qturn, "augment", "data", "-o", "whole", "-q"], cwd=folder, check=True, timeout=SECONDS)
        cluster = Cluster(folder, stack)
        wrapper = folder / "bin/qturn"
        wrapper.write_text(WRAPPER.format(qturn=qturn, disturbed_disk=disturbed_disk))
        wrapper.chmod(0o755)
        cluster.environment["PATH"] = f"{wrapper.parent}:{cluster.environment['PATH']}"
        job = cluster.call("sbatch", "--parsable", ROOT / "docs/cluster/slurm.sh", "data", "out", cwd=folder)
        merge = cluster.call("sbatch", "--wait", f"--dependency=afterok:{job.stdout.strip()}", "--kill-on-invalid-dep=yes",
                             "--output=merge.log", "--wrap", "qturn merge out", cwd=folder)
        logs = {file.name: file.read_text() for file in sorted(folder.glob("*.log")) if file.name.startswith(("qturn", "merge"))}
        said = "".join(f"{name}: {line}\n" for name, text in logs.items() for line in text.splitlines())
        print(said)
        print(job.stderr, merge.stdout, merge.stderr)
        assert merge.returncode == 0, "a task or the merge failed"
        killed = next(text for name, text in logs.items() if name.endswith("_3.log"))
        assert killed.count("shard 3 of 8 (SLURM_ARRAY_TASK_ID, SLURM_ARRAY_TASK_COUNT)") == 2, "task 3 was not run twice"
        assert "done before the interruption" in killed, "the second attempt of task 3 began again"
        assert tree_of(folder / "out") == tree_of(folder / "whole"), "the array has written something else than one process"


if __name__ == "__main__":
    main()
