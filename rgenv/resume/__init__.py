"""What a run of `serve` goes on from after kill -9, or with its trainer."""
