"""The application that OpenEnv's tools look for in this place; rgenv/adapters/openenv.py has it."""

from rgenv.adapters import openenv

app = openenv.app


def main() -> None:
    """Serve until a signal."""
    openenv.main()


if __name__ == "__main__":
    main()
