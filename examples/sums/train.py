#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains a transformer that adds: train.py FOLDER [--steps N] [--seed N]

The model reads the characters of a sum of two numbers below 100, "27+58=", and writes the result, "85". The script
makes the data itself: every pair of numbers. One in eight is kept for testing and never trained on, in neither order.
FOLDER receives

  sums.safetensors    the weights under PyTorch's names, in float16
  sums.json           the architecture, for heed pack --model
  sums_tokenizer.bin  a tokenizer of bytes in llama2.c's format, for heed generate --tokenizer

It needs PyTorch (on Debian the package python3-torch) and takes some minutes on one core. The same version of PyTorch
on the same processor gives the same bytes for a seed; version 1.13 and seed 1 gave those beside this script.

For weights of another training, `heed pack` makes sums_model.* (docs/models.md), firmware_sums on the desktop prints
sums.txt and a line of figures, and sums_model_test has the new numbers.
"""
import argparse
import json
import pathlib
import struct

import torch
from torch import nn

DIM, HEADS, MLP, BLOCKS = 24, 3, 64, 2
BEGIN, END, BYTES = 1, 2, 3  # token BYTES + b is the byte b
VOCABULARY = BYTES + 256
POSITIONS = 12
LENGTH = 11  # of the longest text: begin, "99+99=198", end
BATCH, RATE, DECAY = 128, 6e-3, 0.1


class Sums(nn.Module):
    """A decoder: learned positions, blocks with their norms before, a head that is the embedding table."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, DIM)
        self.positions = nn.Parameter(torch.randn(POSITIONS, DIM) * 0.05)
        nn.init.normal_(self.embedding.weight, std=0.05)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(DIM, HEADS, MLP, dropout=0.0, activation="gelu", batch_first=True,
                                       norm_first=True) for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(DIM)
        self.register_buffer("mask", torch.full((POSITIONS, POSITIONS), float("-inf")).triu(1), persistent=False)

    def forward(self, tokens):
        length = tokens.shape[1]
        x = self.embedding(tokens) + self.positions[:length]
        for layer in self.layers:
            x = layer(x, src_mask=self.mask[:length, :length])
        return self.norm(x) @ self.embedding.weight.T


def is_for_testing(a, b):
    """One pair in eight, in both orders."""
    mixed = (100 * min(a, b) + max(a, b)) * 0x9E3779B1 % 2**32
    mixed = (mixed ^ mixed >> 15) * 0x85EBCA77 % 2**32
    return mixed >> 29 == 0


def make_data():
    """Rows of tokens, the places whose next token is learned, and which rows are for testing."""
    rows, learned, test = [], [], []
    for a in range(100):
        for b in range(100):
            question = [BEGIN] + [BYTES + byte for byte in f"{a}+{b}=".encode()]
            row = question + [BYTES + byte for byte in str(a + b).encode()] + [END]
            learned.append([len(question) - 1 <= i < len(row) - 1 for i in range(LENGTH - 1)])
            rows.append(row + [END] * (LENGTH - len(row)))
            test.append(is_for_testing(a, b))
    return torch.tensor(rows), torch.tensor(learned), torch.tensor(test)


def count_right(model, rows, learned):
    """How many of the rows have every learned token likeliest."""
    with torch.no_grad():
        guessed = model(rows[:, :-1]).argmax(-1)
    return int(((guessed == rows[:, 1:]) | ~learned).all(1).sum())


def train(steps, seed):
    """The trained model, its weights rounded to float16; prints its progress."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rows, learned, test = make_data()
    training = (~test).nonzero().squeeze(1)
    model = Sums()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.05)
    for step in range(steps):
        chosen = training[torch.randint(len(training), (BATCH,))]
        inputs, targets, places = rows[chosen, :-1], rows[chosen, 1:], learned[chosen]
        loss = nn.functional.cross_entropy(model(inputs)[places], targets[places])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 500 == 499:
            print(f"step {step + 1}: loss {loss.item():.4f}, {count_right(model, rows[test], learned[test])} right",
                  flush=True)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half().float())
    parameters = sum(parameter.numel() for parameter in model.parameters())
    print(f"{parameters} parameters; right: {count_right(model, rows[test], learned[test])} of {int(test.sum())} sums "
          f"never trained on, {count_right(model, rows[~test], learned[~test])} of {len(training)} others")
    return model


def save_safetensors(tensors, path):
    """float16 tensors in the safetensors format: a length, a JSON header, and the numbers."""
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.detach().half().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F16", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def save_tokenizer(path):
    """Three names and 256 bytes, none of which is ever merged with its neighbour."""
    pieces = [b"<unk>", b"\n<s>\n", b"\n</s>\n"] + [b"<0x%02X>" % byte for byte in range(256)]
    content = struct.pack("<i", max(map(len, pieces)))
    for piece in pieces:
        content += struct.pack("<fi", 0.0, len(piece)) + piece
    path.write_bytes(content)


ARCHITECTURE = {
    "block": {"model_dim": DIM, "heads": HEADS, "mlp_dim": MLP, "norm": "layer_norm", "norm_placement": "before",
              "activation": "gelu_erf"},
    "blocks": BLOCKS, "input_dim": VOCABULARY, "max_positions": POSITIONS, "input": "tokens", "positions": "learned",
    "causal": True, "final_norm": True, "tied_head": True,
    "tensors": {"input": "embedding.weight", "positions": "positions"},
}


def main():
    """Trains and saves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    model = train(arguments.steps, arguments.seed)
    save_safetensors(model.state_dict(), arguments.folder / "sums.safetensors")
    save_tokenizer(arguments.folder / "sums_tokenizer.bin")
    (arguments.folder / "sums.json").write_text(json.dumps(ARCHITECTURE, indent=2) + "\n")


if __name__ == "__main__":
    main()
