"""What NeMo Gym runs: docs/trainers.md, "Files"."""

from rgenv.adapters.nemo_gym import RgenvServer

if __name__ == "__main__":
    RgenvServer.run_webserver()
