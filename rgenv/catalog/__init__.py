"""The command `tasks`: what there is to train on."""
