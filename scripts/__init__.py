"""Programs for contributors; each says at its top what it does."""
