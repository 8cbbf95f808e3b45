"""Start, shutdown, retries and progress of a command."""
