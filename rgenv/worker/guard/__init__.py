"""Keeps what a model or a recipe says from doing anything but being scored."""
