# SPDX-License-Identifier: MIT
"""Damaged GGUF files, each with the words that its refusal must have."""
import struct

from gguf_files import text


def patched(content, at, part):
    return content[:at] + part + content[at + len(part):]


def after(content, name):
    """Where the fields behind a name begin."""
    return content.index(text(name)) + len(text(name))


def damages(content, quantized):
    """Of a Llama with matrices in F32, and with matrices in Q8_0."""
    tensor, name = after(content, "blk.0.ffn_up.weight"), "blk.0.ffn_up.weight"
    dimension, kind, offset = tensor + 4, tensor + 20, tensor + 24
    own = struct.unpack_from("<Q", content, offset)[0]

    def word(value):
        return struct.pack("<I", value)

    def size(value):
        return struct.pack("<Q", value)

    tokens = after(content, "tokenizer.ggml.tokens")
    result = [
        ("magic", patched(content, 0, b"GGML"), ["magic"]),
        ("version 1", patched(content, 4, word(1)), ["version", "1"]),
        ("version 4", patched(content, 4, word(4)), ["version", "4"]),
        ("big-endian", patched(content, 4, struct.pack(">I", 3)), ["version", "byte order"]),
        ("tensor count", patched(content, 8, size(1 << 63)), ["tensor", "bytes"]),
        ("key count", patched(content, 16, size(1 << 63)), ["key"]),
        ("no keys", patched(content, 16, size(0)), ["tensor"]),
        ("length of a key", patched(content, 24, size(1 << 60)), ["key 0", "left in the file"]),
        ("empty key", patched(content, 24, size(0)), ["key 0"]),
        ("letters of a key", patched(content, 32, b"\x07"), ["key 0"]),
        ("type of a value", patched(content, after(content, "llama.block_count"), word(13)), ["llama.block_count"]),
        ("type of a list", patched(content, tokens + 4, word(9)), ["tokenizer.ggml.tokens", "list of type 9"]),
        ("length of a list", patched(content, tokens + 8, size(1 << 62)), ["tokenizer.ggml.tokens", "left in the file"]),
        ("length of a list of numbers", patched(content, after(content, "tokenizer.ggml.scores") + 8, size(1 << 62)),
         ["tokenizer.ggml.scores"]),
        ("two keys", content.replace(b"llama.attention.key_length", b"llama.rope.dimension_count"),
         ["llama.rope.dimension_count", "twice"]),
        ("two tensors", content.replace(b"blk.0.attn_k.weight", b"blk.0.attn_v.weight"), ["blk.0.attn_v.weight", "twice"]),
        ("no dimensions", patched(content, tensor, word(0)), [name, "0 dimensions"]),
        ("five dimensions", patched(content, tensor, word(5)), [name, "5 dimensions"]),
        ("many dimensions", patched(content, tensor, word(0x80000000)), [name, "dimensions"]),
        ("dimension 0", patched(content, dimension, size(0)), [name, "0"]),
        ("huge dimension", patched(content, dimension, size(1 << 62)), [name]),
        ("huge dimensions", patched(content, dimension, size(1 << 32) * 2), [name, "too large"]),
        ("other dimensions", patched(content, dimension, size(96) + size(64)), [name, "[64, 96]"]),
        ("type 99", patched(content, kind, word(99)), [name, "type 99"]),
        ("Q2_K", patched(content, kind, word(10)), [name, "Q2_K"]),
        ("blocks", patched(content, kind, word(14)), [name, "blocks of Q6_K"]),
        ("misaligned", patched(content, offset, size(own + 1)), [name, "multiple of 32"]),
        ("overlap", patched(content, offset, size(own - 32)), ["another tensor"]),
        ("gap", patched(content, offset, size(own + 32)), ["belongs to no tensor"]),
        ("outside", patched(content, offset, size(1 << 40)), ["belongs to no tensor"]),
        ("offset overflow", patched(content, offset, size((1 << 64) - 32)), ["belongs to no tensor"]),
        ("bytes behind", content + bytes(64), ["data", "belong to no tensor"]),
        ("a byte less", content[:-33], ["outside"]),
        ("nothing", b"", ["magic"]),
    ]
    data = (after(quantized, "output.weight") + 63) // 32 * 32  # behind the last head
    data += struct.unpack_from("<Q", quantized, after(quantized, "blk.0.ffn_up.weight") + 24)[0]
    for what, bits in (("NaN", 0x7E00), ("infinite", 0x7C00)):
        words = ["blk.0.ffn_up.weight", "not a number" if what == "NaN" else "infinite"]
        result.append((f"{what} in a scale", patched(quantized, data, struct.pack("<H", bits)), words))
    return result
