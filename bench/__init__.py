"""Benchmarks: how fast the services are, as ratios measured side by side in one run.

`python -m bench` (which is `make bench`) prints the table; `docs/benchmarks.md` tells the method.
"""
