"""The command `export`: saved completions, or new problems, as data for training."""
