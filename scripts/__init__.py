"""Programs for those who work on the project; each says at its top what it does."""
