"""Runs the shards of a list as tasks of Ray; tasks of lost workers are run again.

    python ray_shards.py OUT SHARDS [TASKS_AT_ONCE]
"""

import os
import subprocess
import sys

import ray

SHARD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shard.sh")


@ray.remote(max_retries=3)
def run(out, paths):
    done = subprocess.run([SHARD, out], input=paths, text=True, capture_output=True)
    done.check_returncode()
    return done.stdout.strip(), done.stderr, os.getpid()


out, shards, at_once = sys.argv[1], sys.argv[2], int((sys.argv[3:] or ["2"])[0])
with open(shards) as file:
    parts = [part for part in file.read().split("\n\n") if part.strip()]
# On a cluster use ray.init(address="auto"), with OUT and the sessions in a shared folder.
ray.init(num_cpus=at_once, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
waiting = [run.remote(os.path.abspath(out), part) for part in parts]
workers = set()
while waiting:
    done, waiting = ray.wait(waiting)
    name, said, worker = ray.get(done[0])
    workers.add(worker)
    sys.stderr.write(said)
    print(name, worker, flush=True)
print(f"{len(parts)} shards, {len(workers)} workers", file=sys.stderr)
