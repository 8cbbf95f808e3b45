"""The command `view`: what a run wrote, as one HTML page."""
