# SPDX-License-Identifier: MIT
"""Writes a folder as Hugging Face's libraries save one: config.json and safetensors, in shards with an index if asked
to, in float32, float16 or bfloat16."""
import json
import pathlib

import numpy as np


def stored(values, kind):
    """The bytes that a file has, and the values that they stand for."""
    if kind == "F32":
        kept = values.astype("<f4")
        return kept.tobytes(), kept.astype(np.float64)
    if kind == "F16":
        kept = values.astype("<f2")
        return kept.tobytes(), kept.astype(np.float64)
    bits = values.astype("<f4").view("<u4")
    upper = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")  # to nearest, ties to even
    return upper.tobytes(), (upper.astype("<u4") << 16).view("<f4").astype(np.float64)


def write_safetensors(path, tensors, kinds):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, values in tensors.items():
        content, _ = stored(values, kinds(name))
        header[name] = {"dtype": kinds(name), "shape": list(values.shape),
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def write_folder(folder, config, tensors, kind="F32", shards=1, files=None, stored_names=str):
    """Returns the tensors as the folder has them. `files`: further ones, JSON by path; `stored_names`: what the folder
    calls a tensor."""
    numbers = {name: stored(values, kind)[1] for name, values in tensors.items()}
    tensors = {stored_names(name): values for name, values in tensors.items()}
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    for path, content in {"config.json": config, **(files or {})}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(content, indent=2))

    def kinds(_):
        return kind

    names = list(tensors)
    if shards == 1:
        write_safetensors(folder / "model.safetensors", tensors, kinds)
    else:
        weight_map = {}
        for shard in range(shards):
            file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
            part = {name: tensors[name] for name in names[shard::shards]}
            write_safetensors(folder / file, part, kinds)
            weight_map.update({name: file for name in part})
        size = sum(values.size for values in tensors.values()) * (4 if kind == "F32" else 2)
        index = {"metadata": {"total_size": size}, "weight_map": weight_map}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2))
    return numbers
