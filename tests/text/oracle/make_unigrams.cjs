// SPDX-License-Identifier: MIT
//
// node make_unigrams.cjs <text file> [<precompiled charsmap>]: folders t5, xlmr, unigram_first, unigram_bytes and single
// with a tokenizer.json each, of small vocabularies from the text; their normalizer has a small map of its own, or the
// one that is given.
const fs = require('fs');
const corpus = fs.readFileSync(process.argv[2], 'utf8').slice(0, 60000);

/// The double array of Darts-clone: bits 0 to 7 of a unit are its label, 8 says that it has a value, 10 to 30 are the
/// offset to its children.
function darts(keys) {
  const units = [0];
  const free = (i) => units[i] === undefined;
  const bases = new Set();
  const place = (node, parent, depth) => {
    const labels = [...new Set(node.map(([key]) => (key.length > depth ? key[depth] : 0)))];
    let base = 1;
    while (bases.has(base) || !labels.every((label) => free(base ^ label))) ++base;
    bases.add(base);
    units[parent] |= (parent ^ base) << 10;
    for (const label of labels) units[base ^ label] = label;
    for (const label of labels) {
      const below = node.filter(([key]) => (key.length > depth ? key[depth] : 0) === label);
      if (label === 0) {
        units[base] = below[0][1] | 0x80000000;
        units[parent] |= 0x100;
      } else place(below, base ^ label, depth + 1);
    }
  };
  place(keys, 0, 0);
  return Buffer.from(Uint32Array.from({ length: Math.ceil(units.length / 256) * 256 }, (_, i) => units[i] || 0).buffer);
}
function charsmap() {
  const map = new Map();
  for (const [first, last] of [[0xa0, 0x250], [0x2000, 0x2070], [0x2100, 0x2190], [0x3131, 0x3140], [0xfb00, 0xfb07], [0xfdf0, 0xfdfd], [0xff01, 0xff60]])
    for (let point = first; point < last; ++point) {
      const c = String.fromCodePoint(point);
      if (c.normalize('NFKC') !== c) map.set(c, c.normalize('NFKC'));
      if (c.normalize('NFD').length === 2 && point < 0x180) map.set(c.normalize('NFD'), c);
    }
  for (let point = 1; point < 32; ++point) map.set(String.fromCodePoint(point), point === 9 || point === 10 || point === 13 ? ' ' : '');
  for (const c of ['\u200b', '\ufffd', '\ufeff', '\u2028', '\r\n']) map.set(c, ' ');
  map.set('\u007f', '').set('\u0958', '\u0915\u093c').set('\u00ad', '').set('\u0600', 'N').set('\u{1f1e6}', 'A');
  const texts = [];
  let at = 0;
  const keys = [...map].map(([key, text]) => {
    const bytes = Buffer.from(text + '\0');
    texts.push(bytes);
    at += bytes.length;
    return [Buffer.from(key), at - bytes.length];
  });
  const units = darts(keys);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(units.length);
  return Buffer.concat([length, units, ...texts]);
}
const map = (process.argv[3] ? fs.readFileSync(process.argv[3]) : charsmap()).toString('base64');

/// Frequent pieces of words with the logarithms of how often they are there.
function vocabulary(words, count, score) {
  const times = new Map();
  for (const word of words) {
    const letters = [...word];
    for (let i = 0; i < letters.length; ++i)
      for (let k = i + 1; k <= letters.length && k <= i + 9; ++k) {
        const piece = letters.slice(i, k).join('');
        times.set(piece, (times.get(piece) || 0) + 1);
      }
  }
  const all = [...times].filter(([piece, n]) => [...piece].length === 1 || n > 2).sort((a, b) => b[1] * b[0].length - a[1] * a[0].length).slice(0, count);
  const total = all.reduce((sum, [, n]) => sum + n, 0);
  return all.map(([piece, n]) => [piece, score(Math.log(n / total))]);
}
const single = Math.fround;
const words = corpus.split(/\s+/).map((word) => '▁' + word);
const extra = ['é', 'ß', '中', '▁▁', 'ا', 'к', 'a\u0301b'].map((piece, i) => [piece, -9.5 - i / 3]);
const pieces = (score) => vocabulary(words, 700, score).concat(extra.filter(([piece]) => piece));
const at = (id, content, o) => ({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true, ...o });
const write = (name, o) => {
  fs.mkdirSync(name, { recursive: true });
  fs.writeFileSync(name + '/tokenizer.json', JSON.stringify({ version: '1.0', truncation: null, padding: null, ...o }));
};
const metaspace = (scheme, split = true) => ({ type: 'Metaspace', replacement: '▁', prepend_scheme: scheme, split });
const template = (begin, end, ids) => ({
  type: 'TemplateProcessing',
  single: [...begin.map((id) => ({ SpecialToken: { id, type_id: 0 } })), { Sequence: { id: 'A', type_id: 0 } }, ...end.map((id) => ({ SpecialToken: { id, type_id: 0 } }))],
  pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
  special_tokens: Object.fromEntries([...begin, ...end].map((token) => [token, { id: token, ids: [ids[token]], tokens: [token] }])),
});
const unique = (list) => [...new Map(list.map((entry) => [entry[0], entry])).values()];
const model = (vocab, unk_id, byte_fallback = false) => ({ type: 'Unigram', unk_id, vocab, byte_fallback });
const runs = (content) => ({ type: 'Replace', pattern: { Regex: ' {2,}' }, content });
const precompiled = { type: 'Precompiled', precompiled_charsmap: map };

const t5 = unique([['<pad>', 0], ['</s>', 0], ['<unk>', 0], ...pieces(single)]);
const extras = Array.from({ length: 40 }, (_, i) => at(t5.length + i, `<extra_id_${39 - i}>`));
write('t5', {
  added_tokens: [at(0, '<pad>'), at(1, '</s>'), at(2, '<unk>'), ...extras],
  normalizer: precompiled,
  pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, metaspace('always')] },
  post_processor: template([], ['</s>'], { '</s>': 1 }), decoder: metaspace('always'), model: model(t5, 2),
});
const xlmr = unique([['<s>', 0], ['<pad>', 0], ['</s>', 0], ['<unk>', 0], ...pieces((score) => score)]);
write('xlmr', {
  added_tokens: [at(0, '<s>'), at(1, '<pad>'), at(2, '</s>'), at(3, '<unk>'), at(xlmr.length, '<mask>', { lstrip: true })],
  normalizer: { type: 'Sequence', normalizers: [precompiled, { type: 'Strip', strip_left: false, strip_right: true }, runs('▁')] },
  pre_tokenizer: metaspace('always'), post_processor: template(['<s>'], ['</s>'], { '<s>': 0, '</s>': 2 }), decoder: metaspace('always'), model: model(xlmr, 3),
});
write('unigram_first', {
  added_tokens: [at(3, '<unk>'), at(xlmr.length, 'word', { normalized: true, special: false, single_word: true })],
  normalizer: { type: 'Sequence', normalizers: [precompiled, runs(' ')] },
  pre_tokenizer: metaspace('first', false), post_processor: null, decoder: metaspace('first', false), model: model(xlmr, 3),
});
const bytes = Array.from({ length: 256 }, (_, byte) => ['<0x' + byte.toString(16).toUpperCase().padStart(2, '0') + '>', 0]);
const fallback = unique([['<unk>', 0], ['<s>', 0], ['</s>', 0], ...bytes, ...pieces(single)]);
write('unigram_bytes', {
  added_tokens: [at(1, '<s>'), at(2, '</s>')],
  normalizer: { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, { type: 'Replace', pattern: { String: ' ' }, content: '▁' }] },
  pre_tokenizer: null, post_processor: template(['<s>'], [], { '<s>': 1 }),
  decoder: { type: 'Sequence', decoders: [{ type: 'Replace', pattern: { String: '▁' }, content: ' ' }, { type: 'ByteFallback' }, { type: 'Fuse' }, { type: 'Strip', content: ' ', start: 1, stop: 0 }] },
  model: model(fallback, 0, true),
});
