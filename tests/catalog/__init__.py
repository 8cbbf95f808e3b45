"""Tests of rgenv/catalog/."""
