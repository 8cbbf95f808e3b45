"""What a run of `serve` goes on from after kill -9, or with its trainer.

checkpoints.py  finds the state to go on from, and saves one for each step
progress.py     records what happens to each problem before it has an effect
"""
