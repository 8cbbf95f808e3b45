"""Programs that use this environment."""
