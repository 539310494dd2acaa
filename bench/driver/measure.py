"""Runs commands through support/spawn.c and does the arithmetic on what it reports."""

import math
import statistics
import subprocess
from dataclasses import dataclass


class SpawnError(Exception):
    """The stop-watch itself failed; nothing it reported is used."""


@dataclass
class Sample:
    """One run of one command."""
    status: int
    wall_ns: int
    cpu_ns: int
    maxrss_kib: int
    out: bytes
    err: bytes


def run_rounds(spawn, commands, rounds, timeout_s):
    """Runs every command once a round, interleaved; returns a list of samples for each command, in round order."""
    argv = [str(spawn), str(rounds), str(timeout_s)]
    for command in commands:
        argv += [":::"] + [str(part) for part in command]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise SpawnError(done.stderr.decode(errors="replace").strip() or f"spawn ended with {done.returncode}")
    samples, data, at = [[] for _ in commands], done.stdout, 0
    while at < len(data):
        line_end = data.index(b"\n", at)
        index, status, wall, cpu, rss, out, err = (int(f) for f in data[at:line_end].split())
        at = line_end + 1
        samples[index].append(Sample(status, wall, cpu, rss, data[at:at + out], data[at + out:at + out + err]))
        at += out + err
    if any(len(s) != rounds for s in samples):
        raise SpawnError("rounds are missing from the report")
    return samples


def percentile(values, share):
    """The smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def distribution(values):
    """What a table's JSON keeps of a list of figures."""
    return {
        "samples": len(values), "mean": statistics.fmean(values), "stddev": statistics.pstdev(values), "min": min(values),
        "p50": statistics.median(values), "p95": percentile(values, 0.95), "max": max(values),
    }


def paired_ratio(values, base):
    """The median of the ratios of figures of the same round: what both suffered from the machine cancels out."""
    pairs = [v / b for v, b in zip(values, base) if b > 0]
    return statistics.median(pairs) if pairs else None


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values)) if values else None
