// SPDX-License-Identifier: MIT
//
// node compare.cjs <node_modules> <tokenize_lines> <tokenizer.json> <its file> <texts> [<seed> [ids]]: random texts
// through Hugging Face's tokenizers library and through heed, which must agree in every token and every decoded byte, or
// with `ids` in the tokens alone. (Special tokens that a normalizer changes that library does not know as special any
// more.)
const { spawn } = require('child_process');
const path = require('path');
const [modules, program, json, file, textCount, seedText, only] = process.argv.slice(2);
const { Tokenizer } = require(path.resolve(modules, 'tokenizers'));
const tokenizer = Tokenizer.fromFile(json);
const definition = require(path.resolve(json));
let state = BigInt(seedText || 1);
const random = (n) => {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number((state >> 33n) % BigInt(n));
};
const pick = (list) => list[random(list.length)];
const added = definition.added_tokens.map((token) => token.content);
const { vocab } = definition.model;
const vocabulary = Array.isArray(vocab) ? vocab.map(([piece]) => piece) : Object.keys(vocab);
const words = ["don't", "I'LL", "'s", "we've", 'the', ' The', 'Once upon a time', '123', '4567890', ' 1', '...', '!?', "n't", '"', "'ſ", "'D",
  'café', 'naïve', 'ÅNGSTRÖM', 'Straße', 'İstanbul', '北京', 'こんにちは', '한국어', '한', 'Привет', 'مرحبا', 'हिन्दी', '👩‍👩‍👧', '🇩🇪', 'é', 'e\u0301', 'ṩ', 's\u0323\u0307', 's\u0307\u0323', 'Ω', 'ﬁ', '\u0344', '\u1D160', '½', '²', 'camelCaseHTTP', 'ǅABC', 'ʰAbC', "ABC'S", '\u0301AB', 'カ・ナー', '漢字かな゛', '\u3040\u3099', '龥龦', '!/\n/', '@user', '€x',
  '\u200b', '\u00ad', '\ufeff'];
const spaces = [' ', '  ', '\n', '\r\n', '\t', '\n\n', '   \n ', '\u00a0', '\u3000', '\u2028', '\u0085', '\x0b', '\x0c', '▁'];
const ranges = [[0, 0x80], [0x80, 0x250], [0x300, 0x370], [0x370, 0x800], [0x800, 0x1200], [0x1e00, 0x2c00], [0x3000, 0xa000], [0xa000, 0xd800],
  [0xe000, 0x10000], [0x10000, 0x12000], [0x1d000, 0x20000], [0x20000, 0x30000], [0xe0000, 0xe0200], [0x10000, 0x110000]];
function character() {
  const [first, last] = pick(ranges);
  return Buffer.from(String.fromCodePoint(first + random(last - first)).replace(/[\ud800-\udfff]/gu, 'x'));
}
/// A letter with marks on it, and what else clusters are made of.
const marks = ['\u0301', '\u0327', '\u200d', '\u093c', '\u094d', '\u0903', '\u0600', '\u0915', '\u1100', '\u1161', '\u11a8', '\uac00', '\u{1f1e6}', '\u00a9', '\r', '\n'];
function cluster() {
  const letter = String.fromCodePoint(0x20 + random(random(2) === 0 ? 0x60 : 0x240));
  return Buffer.from(letter + Array.from({ length: 1 + random(3) }, () => pick(marks)).join(''));
}
function part() {
  switch (random(10)) {
    case 0: return Buffer.from(pick(words));
    case 1: return Buffer.from(pick(spaces));
    case 2: return Buffer.from(pick(added));
    case 3: return Buffer.from(pick(vocabulary));
    case 4: return character();
    case 5: return Buffer.from(String.fromCharCode(0x20 + random(0x5f)));
    case 6: return Buffer.from(pick(words) + pick(spaces));
    case 8: return cluster();
    case 7: return random(6) === 0 ? Buffer.from([random(256)]) : Buffer.from(' ');
    default: return Buffer.concat([character(), character()]);
  }
}
async function main() {
  const child = spawn(program, [file]);
  const lines = require('readline').createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let different = 0;
  let tokens = 0;
  for (let i = 0; i < Number(textCount); ++i) {
    const bytes = Buffer.concat(Array.from({ length: random(24) }, part));
    child.stdin.write(bytes.toString('hex') + '\n');
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    const ids = (await tokenizer.encode(text, null, { addSpecialTokens: true })).getIds();
    const plain = await tokenizer.decode(ids, true);
    const all = await tokenizer.decode(ids, false);
    const hex = (string) => Buffer.from(string).toString('hex');
    const expected = `${ids.join(' ')}|${hex(plain)}|${hex(all)}`;
    const line = (await lines.next()).value;
    tokens += ids.length;
    if (only === 'ids' ? line.split('|')[0] === ids.join(' ') : line === expected) continue;
    if (++different <= 5) console.log(`${bytes.toString('hex')} ${JSON.stringify(text)}\n  library ${expected}\n  heed    ${line}`);
  }
  child.stdin.end();
  console.log(`${json}: ${textCount} texts, ${tokens} tokens, ${different} different`);
  process.exit(different === 0 ? 0 : 1);
}
main();
