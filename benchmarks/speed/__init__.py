"""The programs that benchmarks/throughput.py runs, and its plots.

served.py  the environment with a policy that answers at once
direct.py  reasoning-gym called directly, for comparison
plots.py   three pictures of the results
"""
