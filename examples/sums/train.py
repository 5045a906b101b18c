#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains a transformer that adds: train.py FOLDER [--steps N]

The model reads the characters of a sum of two numbers below 100, "27+58=", and writes the result, "85". The script
makes the data itself: every pair of numbers, of which one in eight is kept for testing and never trained on. FOLDER
receives

  sums.safetensors  the weights under PyTorch's names
  sums.json         the architecture, for heed pack --model
  bytes.bin         a tokenizer of bytes in llama2.c's format, for heed generate --tokenizer

It needs PyTorch (on Debian the package python3-torch) and takes some ten minutes on one core. The same version of
PyTorch on the same processor gives the same model.
"""
import argparse
import json
import pathlib
import struct
import time

import torch
from torch import nn

DIM, HEADS, MLP, BLOCKS = 48, 4, 128, 2
BEGIN, END, BYTES = 1, 2, 3  # token BYTES + b is the byte b
VOCABULARY = BYTES + 256
POSITIONS = 16
LENGTH = 12  # of the longest text: begin, space, "99+99=198", end


class Sums(nn.Module):
    """A decoder: learned positions, blocks with their norms before, a head that is the embedding table."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, DIM)
        self.positions = nn.Parameter(torch.randn(POSITIONS, DIM) * 0.02)
        nn.init.normal_(self.embedding.weight, std=0.02)
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


def encode(text):
    """As the tokenizer does: a text begins with a space."""
    return [BEGIN] + [BYTES + byte for byte in (" " + text).encode()]


def make_data():
    """Rows of tokens, the places whose next token is learned, and which rows are for testing."""
    rows, learned, test = [], [], []
    for a in range(100):
        for b in range(100):
            question = encode(f"{a}+{b}=")
            row = question + [BYTES + byte for byte in str(a + b).encode()] + [END]
            places = [len(question) - 1 <= i < len(row) - 1 for i in range(LENGTH)]
            rows.append(row + [END] * (LENGTH + 1 - len(row)))
            learned.append(places)
            test.append((a * 7919 + b * 104729) % 8 == 0)
    return torch.tensor(rows), torch.tensor(learned), torch.tensor(test)


def count_right(model, rows, learned):
    """How many of the rows have every learned token likeliest."""
    with torch.no_grad():
        guessed = model(rows[:, :-1]).argmax(-1)
    return int(((guessed == rows[:, 1:]) | ~learned).all(1).sum())


def train(steps):
    """The trained model; prints its progress."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    rows, learned, test = make_data()
    model = Sums()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98), weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=steps, pct_start=0.05)
    training = (~test).nonzero().squeeze(1)
    start = time.time()
    for step in range(steps):
        chosen = training[torch.randint(len(training), (256,))]
        inputs, targets, places = rows[chosen, :-1], rows[chosen, 1:], learned[chosen]
        loss = nn.functional.cross_entropy(model(inputs)[places], targets[places])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 500 == 499:
            model.eval()
            right = count_right(model, rows[test], learned[test])
            model.train()
            print(f"step {step + 1}: loss {loss.item():.4f}, {right} of {int(test.sum())} unseen sums right, "
                  f"{time.time() - start:.0f} s", flush=True)
    return model.eval()


def save_safetensors(tensors, path):
    """float32 tensors in the safetensors format: a length, a JSON header, and the numbers."""
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.detach().float().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
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
}


def main():
    """Trains and saves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=8000)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    model = train(arguments.steps)
    save_safetensors(model.state_dict(), arguments.folder / "sums.safetensors")
    save_tokenizer(arguments.folder / "bytes.bin")
    (arguments.folder / "sums.json").write_text(json.dumps(ARCHITECTURE, indent=2) + "\n")


if __name__ == "__main__":
    main()
