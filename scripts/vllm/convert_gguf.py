"""A quantised GGUF model -> the folder of plain weights that vLLM reads; no network.

``convert_gguf.py MODEL.gguf FOLDER``, run by the Python that vLLM is installed in.
"""

import os
import sys
from pathlib import Path


def main() -> None:
    """Read the two arguments and convert."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import torch  # noqa: PLC0415 -- after the variable that keeps it off the network
    from transformers import (  # noqa: PLC0415
        AutoModelForCausalLM,
        AutoTokenizer,
        GgufConfig,
    )

    file, folder = Path(sys.argv[1]).resolve(), sys.argv[2]
    source = {
        "pretrained_model_name_or_path": str(file.parent),
        "gguf_file": file.name,
    }
    tokenizer = AutoTokenizer.from_pretrained(**source)
    # Weights stay packed unless told otherwise, and packed ones cannot be saved.
    model = AutoModelForCausalLM.from_pretrained(
        **source,
        dtype=torch.bfloat16,
        quantization_config=GgufConfig(dequantize=True),
    )
    for name in ("quantization_config", "_pre_quantization_dtype"):
        if hasattr(model.config, name):
            delattr(model.config, name)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    main()
