# SPDX-License-Identifier: MIT
"""pack_memory.py HEED [MEGABYTES]: packs Llamas of random weights, of about so many megabytes, from a folder and from a
GGUF file, and prints how long that takes and the most memory; which may be the model file, 1.2 times the largest tensor
in float32 and what the command takes without a model."""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

from gguf_files import keys, key_value, q8_0, tensor_name, text
from folders import stored

PART = 1 << 22


def sizes_of(megabytes, item_bytes):
    """A quarter of the numbers is the table."""
    dim = 256 if megabytes < 256 else 2048
    block = 4 * dim * dim + 3 * dim * 3 * dim
    blocks = max(1, int(megabytes * 1e6 * 0.75 / item_bytes / block))
    vocabulary = max(64, int(megabytes * 1e6 * 0.25 / item_bytes / dim))
    return {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": vocabulary, "hidden_size": dim,
            "intermediate_size": 3 * dim, "num_hidden_layers": blocks, "num_attention_heads": dim // 64,
            "num_key_value_heads": dim // 64, "head_dim": 64, "max_position_embeddings": 512, "rms_norm_eps": 1e-5,
            "hidden_act": "silu", "tie_word_embeddings": True}


def shapes_of(config):
    dim, hidden = config["hidden_size"], config["intermediate_size"]
    shapes = {"model.embed_tokens.weight": (config["vocab_size"], dim), "model.norm.weight": (dim,)}
    for block in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{block}."
        for name in ("input_layernorm", "post_attention_layernorm"):
            shapes[prefix + name + ".weight"] = (dim,)
        for name in "qkvo":
            shapes[prefix + f"self_attn.{name}_proj.weight"] = (dim, dim)
        for name, rows, columns in (("gate", hidden, dim), ("up", hidden, dim), ("down", dim, hidden)):
            shapes[prefix + f"mlp.{name}_proj.weight"] = (rows, columns)
    return shapes


def write_numbers(file, count, encode):
    """Few random numbers, again and again: their values do not matter here."""
    part = encode(np.random.default_rng(1).standard_normal(min(count, PART)))
    whole, rest = divmod(count, PART)
    for _ in range(whole):
        file.write(part)
    if rest:
        file.write(encode(np.random.default_rng(1).standard_normal(rest)))


def write_folder(folder, config, kind):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    header, at = {}, 0
    for name, shape in shapes_of(config).items():
        end = at + int(np.prod(shape)) * (4 if kind == "F32" else 2)
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [at, end]}
        at = end
    content = json.dumps(header).encode()
    with open(folder / "model.safetensors", "wb") as file:
        file.write(len(content).to_bytes(8, "little") + content)
        for shape in shapes_of(config).values():
            write_numbers(file, int(np.prod(shape)), lambda values: stored(values, kind)[0])


def write_q8_0(path, config):
    heads, at = b"", 0
    metadata = keys(config)
    for name, shape in shapes_of(config).items():
        matrix = len(shape) == 2
        heads += text(tensor_name(name, "llama")) + struct.pack("<I", len(shape)) + b"".join(
            struct.pack("<Q", size) for size in reversed(shape)) + struct.pack("<IQ", 8 if matrix else 0, at)
        at += int(np.prod(shape)) // 32 * 34 if matrix else shape[0] * 4
        at += -at % 32
    begin = b"GGUF" + struct.pack("<IQQ", 3, len(shapes_of(config)), len(metadata))
    for key, value in metadata.items():
        kind, content = key_value(value)
        begin += text(key) + struct.pack("<I", kind) + content
    begin += heads
    with open(path, "wb") as file:
        file.write(begin + bytes(-len(begin) % 32))
        for shape in shapes_of(config).values():
            write_numbers(file, int(np.prod(shape)),
                          (lambda values: q8_0(values)[0]) if len(shape) == 2 else lambda values: stored(values, "F32")[0])
            file.write(bytes(-file.tell() % 32))


def measured(arguments):
    """Seconds and bytes of a command. What it has had in memory is read as it runs: the system's account of a process
    that has ended counts the one that it was forked from."""
    begin, most = time.monotonic(), 0
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        if found and f"Name:\t{pathlib.Path(arguments[0]).name}" in status:
            most = max(most, int(found.group(1)) * 1024)
        time.sleep(0.002)
    if process.returncode != 0:
        raise SystemExit(f"{arguments} failed")
    return time.monotonic() - begin, most


def main(path, megabytes="24"):
    megabytes, good = int(megabytes), True
    own = 16 << 20  # the command without a model
    print("| from | bytes | weights | model file | seconds | most memory | model file + 1.2 times the largest tensor |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for kind, item_bytes, weights in (("F32", 4, "float32"), ("F16", 2, "int8"), ("Q8_0", 34 / 32, "int8_groups")):
            config = sizes_of(megabytes, item_bytes)
            source, model = work / kind, work / "model.heed"
            if kind == "Q8_0":
                write_q8_0(source, config)
            else:
                write_folder(source, config, kind)
            size = source.stat().st_size if source.is_file() else (source / "model.safetensors").stat().st_size
            options = [] if kind == "Q8_0" else ["--weight-type", weights]
            seconds, most = measured([path, "pack", str(source), "--out", str(model), *options])
            largest = max(int(np.prod(shape)) for shape in shapes_of(config).values()) * 4
            limit = model.stat().st_size + 1.2 * largest
            print(f"| {kind} | {size} | {weights} | {model.stat().st_size} | {seconds:.1f} | {most} | "
                  f"{limit:.0f} |")
            good = good and most - own <= limit
            for file in [source / "config.json", source / "model.safetensors"] if source.is_dir() else [source]:
                file.unlink()
    if not good:
        print("more memory than that is taken")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
