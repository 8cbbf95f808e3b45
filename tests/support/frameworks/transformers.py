"""What the adapter to TRL imports of transformers."""

import sys

sys.modules[f"{__name__}.trainer_callback"] = sys.modules[__name__]


class TrainerCallback: ...


class ExportableState: ...
