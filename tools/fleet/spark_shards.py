"""Pipes the shards of a list through shard.sh, each as a partition of Spark.

    python spark_shards.py OUT SHARDS [MASTER]
"""

import os
import sys

from pyspark import SparkConf, SparkContext

SHARD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shard.sh")

out, shards = sys.argv[1], sys.argv[2]
# The default is a cluster on this machine: two workers of one core and 1 GB each.
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
master = (sys.argv[3:] or ["local-cluster[2,1,1024]"])[0]
conf = SparkConf().setMaster(master).setAppName("shards").set("spark.ui.enabled", "false")
with open(shards) as file:
    parts = [part for part in file.read().split("\n\n") if part.strip()]
with SparkContext(conf=conf) as spark:
    spark.setLogLevel("ERROR")
    names = spark.parallelize(parts, len(parts)).pipe(
        f"{SHARD} {os.path.abspath(out)}", env=dict(os.environ), checkCode=True
    ).collect()
print("\n".join(names))
