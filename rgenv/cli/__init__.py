"""The command line: commands, options, help, and mistakes in one sentence."""
