"""Atropos' rollout API, through outages and restarts; imports nothing of Atropos.

client.py    single requests, whose answers are checked
api.py       registers, asks for the status, and waits
delivery.py  sends groups, each until it has arrived
"""
