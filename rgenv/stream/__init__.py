"""The sequence of training problems."""
