"""Atropos' rollout API, through outages and restarts; imports nothing of Atropos."""
