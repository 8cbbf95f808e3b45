"""A learner that can be simulated in seconds, and the ways to choose what it is asked."""
