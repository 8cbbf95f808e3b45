"""The problems in other trainers; docs/trainers.md compares them."""
