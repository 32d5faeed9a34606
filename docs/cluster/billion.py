#!/usr/bin/env python3
"""Prints docs/cluster/billion.txt: a run over a billion pictures, simulated from times that were measured.

usage: docs/cluster/billion.py > docs/cluster/billion.txt
       docs/cluster/billion.py --measure FOLDER > docs/cluster/billion-times.csv    with the Python package

Times are parts of the ideal run: all workers at full speed, and all done at the same moment. Of the measured times only the shape counts:
a picture takes a multiple of the mean. A task is many pictures, so its time is drawn from the normal distribution of their sum.
"""
import argparse
import heapq
import pathlib
import random
import statistics
import time

PICTURES = 1_000_000_000
WORKERS = 1_000
TIMES = pathlib.Path(__file__).with_name("billion-times.csv")


def measure(folder):
    """The processor's time for the eight variants of each JPEG, the least of three."""
    from qturn.ray import augment

    class Row(list):
        def flat_map(self, rows, num_gpus):
            return rows(self[0])

    print("file_bytes,cpu_seconds")
    for path in sorted(pathlib.Path(folder).glob("*.jp*g")):
        row = Row([{"path": path.name, "bytes": path.read_bytes()}])
        took = []
        for _ in range(3):
            begin = time.thread_time()
            augment(row)
            took.append(time.thread_time() - begin)
        print(f"{path.stat().st_size},{min(took):.4f}", flush=True)


def multiples():
    """The measured times, as multiples of their mean."""
    times = [float(line.split(",")[1]) for line in TIMES.read_text().split()[1:]]
    mean = statistics.fmean(times)
    return sorted(each / mean for each in times)


def ends_of(tasks, spread, slow, lost):
    """When each worker has done its last task, in order. Each takes the next task when it has done one.

    `slow` is the share of workers at half the speed, `lost` the share of workers that are gone after a time of 0 to 1. A lost worker's task is
    done again by another one, from its beginning.
    """
    chance = random.Random(1)
    pictures = PICTURES / tasks

    def work():
        return max(0.0, chance.gauss(pictures, pictures ** 0.5 * spread)) * WORKERS / PICTURES

    speed = [0.5 if chance.random() < slow else 1.0 for _ in range(WORKERS)]
    gone = [chance.random() if chance.random() < lost else float("inf") for _ in range(WORKERS)]
    ends = [0.0] * WORKERS
    idle, queue = [], [(0.0, worker) for worker in range(WORKERS)]  # who is free when; worker -1: a task comes back
    heapq.heapify(queue)
    while queue:
        now, worker = heapq.heappop(queue)
        if worker < 0:
            tasks += 1
            if idle:
                heapq.heappush(queue, (now, idle.pop()))
        elif not tasks:
            idle.append(worker)
        else:
            tasks -= 1
            end = now + work() / speed[worker]
            if end <= gone[worker]:
                ends[worker] = end
                heapq.heappush(queue, (end, worker))
            else:
                heapq.heappush(queue, (gone[worker], -1))
    return sorted(ends)


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("--measure", metavar="FOLDER")
    folder = arguments.parse_args().measure
    if folder:
        return measure(folder)
    times = multiples()
    spread = statistics.pstdev(times)
    print(f"{len(times)} pictures were measured. As multiples of the mean, a picture takes\n{times[0]:.2f} to {times[-1]:.2f}, the median is "
          f"{statistics.median(times):.2f}, the standard deviation {spread:.2f}.\n{WORKERS} workers, {PICTURES} pictures. Parts of the ideal run:\n")
    print(f"{'':23}{'tasks per':>10}{'pictures':>9}{'half of the':>12}{'99 % of the':>12}{'the':>6}{'idle at':>8}")
    print(f"{'':23}{'worker':>10}{'per task':>9}{'workers end':>12}{'workers end':>12}{'last':>6}{'the end':>8}")
    for name, slow, lost in (("all workers are alike", 0, 0), ("2 % have half the speed", 0.02, 0), ("1 % are lost", 0, 0.01)):
        for each in (1, 4, 16, 100, 1000):
            ends = ends_of(each * WORKERS, spread, slow, lost)
            last = ends[-1]
            print(f"{name:23}{each:10}{PICTURES // WORKERS // each:9}{ends[WORKERS // 2]:12.3f}{ends[WORKERS * 99 // 100]:12.3f}{last:6.3f}"
                  f"{1 - statistics.fmean(ends) / last:8.1%}", flush=True)
            name = ""


if __name__ == "__main__":
    main()
