# SPDX-License-Identifier: MIT
"""check_gguf_tokenizer.py HEED gguf_tokenizer: tokenizers in GGUF files. Those of scores beside a plain twin of what
they mean; those of merges have the bytes of the tokenizer of a folder; and what is left out of the model's file, and why."""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from check_gguf import WIDE, Check, llama_like, tensors_of
from folders import write_folder
from gguf_files import write_gguf

NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
SPACE = "\u2581"
LLAMA3 = ("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|"
          "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")
GPT4O = ("[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         "\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+")
DEEPSEEK3 = ["\\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
             "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|"
             " ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"]


def score_keys(chance):
    """A vocabulary whose tokens are joined of others, with few scores, so that many are equal."""
    tokens = {"<unk>": (0.0, UNKNOWN), "<s>": (0.0, CONTROL), "</s>": (0.0, CONTROL)}
    tokens.update({f"<0x{byte:02X}>": (0.0, BYTE) for byte in range(256)})
    letters = [SPACE, *"abcdeé北\n<>s"]
    tokens.update({letter: (-50.0, NORMAL) for letter in letters})
    pieces = list(letters)
    while len(pieces) < 120:
        piece = chance.choice(pieces) + chance.choice(pieces)
        if piece not in tokens and len(piece) < 9:
            tokens[piece] = (float(-chance.randrange(6)), NORMAL)
            pieces.append(piece)
    tokens["<tool>"] = (-1000.0, USER)
    tokens[SPACE * 2 + SPACE * 3] = (-1000.0, USER)
    tokens["  e"] = (-1000.0, USER)
    tokens["[PAD0]"] = (-1000.0, UNUSED)
    return {"tokenizer.ggml.model": "llama", "tokenizer.ggml.pre": "default", "tokenizer.ggml.tokens": list(tokens),
            "tokenizer.ggml.scores": [score for score, _ in tokens.values()],
            "tokenizer.ggml.token_type": [kind for _, kind in tokens.values()], "tokenizer.ggml.bos_token_id": 1,
            "tokenizer.ggml.eos_token_id": 2, "tokenizer.ggml.unknown_token_id": 0,
            "tokenizer.chat_template": "{% Ünicode %}"}


def joined(keys, text):
    """The tokens of a text without added ones: the neighbours of the highest score are joined, the leftmost first."""
    tokens = {token: number for number, token in enumerate(keys["tokenizer.ggml.tokens"])}
    parts, scores = list(text.replace(" ", SPACE)), keys["tokenizer.ggml.scores"]
    while True:
        pairs = [(-scores[tokens[a + b]], i) for i, (a, b) in enumerate(zip(parts, parts[1:])) if a + b in tokens]
        if not pairs:
            break
        at = min(pairs)[1]
        parts[at:at + 2] = [parts[at] + parts[at + 1]]
    return [number for part in parts for number in
            ([tokens[part]] if part in tokens else [tokens[f"<0x{byte:02X}>"] for byte in part.encode()])]


def expected(keys, text):
    tokens, kinds = keys["tokenizer.ggml.tokens"], keys["tokenizer.ggml.token_type"]
    added = [token for token, kind in zip(tokens, kinds) if kind in (UNKNOWN, CONTROL, USER)]
    added.sort(key=len, reverse=True)
    front = " " if keys.get("tokenizer.ggml.add_space_prefix", True) else ""
    result = [1] if keys.get("tokenizer.ggml.add_bos_token", True) else []
    for part in re.split("(" + "|".join(map(re.escape, added)) + ")", text):
        if part:
            result += [tokens.index(part)] if part in added else joined(keys, front + part)
    return result + ([2] if keys.get("tokenizer.ggml.add_eos_token", False) else [])


class TokenizerCheck(Check):
    def __init__(self, path, work, sizes):
        super().__init__(path, work)
        self.module, self.config = llama_like("llama", "Llama", **sizes)
        self.tensors = tensors_of(self.module, self.config)

    def write(self, keys):
        file = self.work / "m.gguf"
        write_gguf(file, self.config, self.tensors, lambda _: "F32",
                   more={"tokenizer.ggml.scores": None, **keys})
        return file

    def tokens(self, model, text):
        (self.work / "text").write_bytes(text.encode())
        done = subprocess.run([self.path, "tokenize", str(model), "--file", str(self.work / "text")],
                              capture_output=True, text=True)
        return [int(word) for word in done.stdout.split()] if done.returncode == 0 else done.stderr

    def left_out(self, keys, *words):
        model, said = self.pack(self.write(keys))
        good = model is not None and "no tokenizer in it: " in said and all(word in said for word in words)
        self.expect(good, f"not left out by {words}: {said.strip()}")


def check_scores(check, seed, **changes):
    chance = random.Random(seed)
    keys = {**score_keys(chance), **changes}
    model, said = check.pack(check.write(keys))
    good = model is not None and "its tokenizer is in it" in said and "generation ends at 2 </s>, as" in said
    check.expect(good, said)
    words = keys["tokenizer.ggml.tokens"][259:] + [" ", "  ", "   ", "\t", "zß", "🙂", "<s>", "<0x41>", "<unk>"]
    for _ in range(100):
        text = "".join(chance.choice(words) for _ in range(chance.randrange(12)))
        found, wanted = check.tokens(model, text), expected(keys, text)
        check.expect(found == wanted, f"{text!r}: {found} in place of {wanted}")


def byte_vocabulary():
    """GPT-2's alphabet, and merges."""
    printable = [*range(33, 127), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = iter(range(0x100, 0x200))
    tokens = [chr(byte if byte in printable else next(rest)) for byte in range(256)]
    merges = ["Ġ a", "b c", "a bc", "Ġa bc", "1 2", "Ã ©"]
    return tokens + ["".join(merge.split()) for merge in merges], merges


def check_merges(check, pre, regex, normalizer, whole, begins):
    """The model's file is that of a folder with the same vocabulary, to the last byte."""
    tokens, merges = byte_vocabulary()
    names = tokens + ["<|begin|>", "<|end|>", "<|eot|>", "<tool>"]
    begin, end = len(tokens), len(tokens) + 1
    keys = {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": pre, "tokenizer.ggml.tokens": names,
            "tokenizer.ggml.token_type": [NORMAL] * len(tokens) + [CONTROL] * 3 + [USER],
            "tokenizer.ggml.merges": merges, "tokenizer.ggml.bos_token_id": begin, "tokenizer.ggml.eos_token_id": end,
            "tokenizer.ggml.eot_token_id": end + 1}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
                  "use_regex": regex in (None, "digits")}
    splits = [{"type": "Split", "pattern": {"Regex": one}, "behavior": "Isolated", "invert": False}
              for one in (regex if isinstance(regex, list) else [regex])]
    if regex == "digits":
        splits = [{"type": "Digits", "individual_digits": True}]
    template = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "b", "type_id": 0}},
                                                         {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [], "special_tokens": {"b": {"id": "b", "ids": [begin], "tokens": ["<|begin|>"]}}}
    added = [{"id": begin + i, "content": name, "single_word": False, "lstrip": False, "rstrip": False,
              "normalized": False, "special": name != "<tool>"} for i, name in enumerate(names[begin:])]
    folder = check.work / pre
    stands = {name: values.astype("<f4").astype("f8") for name, values in check.tensors.items()}
    write_folder(folder, check.config, stands)
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [end, end + 1]}))
    (folder / "tokenizer.json").write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": {"type": normalizer} if normalizer else None,
        "pre_tokenizer": byte_level if regex is None else {"type": "Sequence", "pretokenizers": [*splits, byte_level]},
        "post_processor": template if begins else None, "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "ignore_merges": whole, "vocab": {name: i for i, name in enumerate(names)},
                  "merges": merges}}))
    one, said = check.pack(folder)
    other, said_of_file = check.pack(check.write(keys))
    same = one is not None and other is not None and one.read_bytes() == other.read_bytes()
    check.expect(same and "its tokenizer is in it" in said_of_file, f"{pre}: not the same\n{said}\n{said_of_file}")
    return keys


def check_left_out(check, merge_keys):
    keys, tokens = score_keys(random.Random(9)), "tokenizer.ggml.tokens"
    names, kinds = keys[tokens], keys["tokenizer.ggml.token_type"]

    def with_token(name, kind, at=259):
        return {**keys, tokens: names[:at] + [name] + names[at + 1:],
                "tokenizer.ggml.token_type": kinds[:at] + [kind] + kinds[at + 1:]}

    def changed(of, **changes):
        return {**of, **{"tokenizer.ggml." + key: value for key, value in changes.items()}}

    for model in ("t5", "bert", "rwkv"):
        check.left_out(changed(keys, model=model), "tokenizer.ggml.model", model)
    for key in ("model", "tokens", "scores", "token_type"):
        check.left_out(changed(keys, **{key: None}), f"tokenizer.ggml.{key}", "missing")
    check.left_out(changed(keys, scores=[0.5]), "tokenizer.ggml.scores", "there are 1, and")
    check.left_out(changed(keys, scores="many"), "tokenizer.ggml.scores", "list of numbers")
    check.left_out(changed(keys, scores=[float("nan")] * len(names)), "tokenizer.ggml.scores", "no number")
    check.left_out(changed(keys, tokens=[1, 2]), tokens, "list of texts")
    check.left_out(changed(keys, token_type=[7] * len(names)), "token 0: type 7")
    check.left_out(with_token("", NORMAL), "token 259 is empty")
    check.left_out(with_token("<s>", NORMAL), "token 259 is there twice")
    check.left_out(with_token("<0x0a>", BYTE), "token 259", "a byte")
    check.left_out(with_token("<0x0A>x", NORMAL, 3 + 11), "of only 255 bytes")
    check.left_out(with_token("aü", NORMAL, 300), "aü", "a character that is no token")
    check.left_out(with_token("<0", NORMAL, 300), "<0", "a character that is no token")
    check.left_out(changed(keys, eot_token_id=9999), "tokenizer.ggml.eot_token_id", "no such token")
    check.left_out(changed(keys, add_bos_token=1), "tokenizer.ggml.add_bos_token")
    check.left_out(changed(keys, remove_extra_whitespaces=True), "tokenizer.ggml.remove_extra_whitespaces", "true")
    check.left_out(changed(keys, add_sep_token=True), "tokenizer.ggml.add_sep_token")
    check.left_out(changed(keys, unheard_of=1), "tokenizer.ggml.unheard_of")
    check.left_out(changed(merge_keys, pre=None), "tokenizer.ggml.pre", "nothing is not supported")
    check.left_out(changed(merge_keys, pre="viking"), "tokenizer.ggml.pre", "viking")
    check.left_out(changed(merge_keys, merges=None), "tokenizer.ggml.merges", "missing")
    check.left_out(changed(merge_keys, merges=["a z"]), "merges", "az")
    check.left_out(changed(merge_keys, add_space_prefix=True), "tokenizer.ggml.add_space_prefix")
    check.left_out(changed(merge_keys, add_bos_token=True, bos_token_id=None), "tokenizer.ggml.add_bos_token")
    many = [f"t{i}" for i in range(check.config["vocab_size"])] + ["one more"]
    types = merge_keys["tokenizer.ggml.token_type"] + [NORMAL] * len(many)
    check.left_out(changed(merge_keys, tokens=merge_keys[tokens] + many, token_type=types), "and the model has")


def main(path, _):
    with tempfile.TemporaryDirectory() as work:
        check = TokenizerCheck(path, pathlib.Path(work), {**WIDE, "vocab_size": 512})
        check_scores(check, 1)
        check_scores(check, 2, **{"tokenizer.ggml.add_space_prefix": False, "tokenizer.ggml.add_bos_token": False,
                                  "tokenizer.ggml.add_eos_token": True, "tokenizer.ggml.remove_extra_whitespaces": False})
        check_merges(check, "gpt-2", None, None, False, False)
        check_merges(check, "smollm", "digits", None, False, False)
        check_merges(check, "llama-bpe", LLAMA3, None, True, True)
        check_merges(check, "gpt-4o", GPT4O, None, False, False)
        check_merges(check, "deepseek-v3", DEEPSEEK3, None, False, False)
        keys = check_merges(check, "qwen2", LLAMA3.replace("{1,3}", ""), "NFC", False, False)
        check_left_out(check, keys)
        plain, _ = check.pack(check.write(keys), "--no-tokenizer")
        content = plain.read_bytes()
        bare, said = check.pack(check.write({"tokenizer.ggml.tokens": None}))
        check.expect(bare is not None and bare.read_bytes() == content and "tokenizer" not in said, f"no keys: {said}")
    print(f"tokenizers of GGUF files: {check.count} checks, failed {len(check.failures)}")
    print("\n".join(check.failures))
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
