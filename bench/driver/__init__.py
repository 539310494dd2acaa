"""The benchmark driver's parts; bench/run.py is the entry."""
