"""Speeds that the documents quote; finished experiments are in the commits that they name."""
