"""Programs for contributors; the wheel leaves them out."""
