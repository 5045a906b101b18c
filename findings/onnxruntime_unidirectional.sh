#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Package: onnxruntime-node 1.30.0 (npm), the CPU provider.
# Expected: MultiHeadAttention of com.microsoft with unidirectional = 1, for more keys than queries, puts the diagonal
#   at the upper left (3 queries of 5 keys see 1, 2, 3 of them) or at the lower right (3, 4, 5).
# Seen: neither. The last query is not masked at all: they see 1, 2, 5. With as many keys as queries nobody notices.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" \
  onnxruntime-node@1.30.0 onnx-proto@8.0.1 protobufjs@6.11.6
cat > "$work/run.cjs" <<'END'
const ort = require('onnxruntime-node');
const { onnx } = require('onnx-proto');
const tensor = (name, rows) =>
  ({ name, type: { tensorType: { elemType: 1, shape: { dim: [1, rows, 1].map(dimValue => ({ dimValue })) } } } });
// Scores of zero, so that a row is the mean of the values that it sees: 1, 10, 100, and so on.
const keysSeen = async (queries, keys) => {
  const model = onnx.ModelProto.encode({
    irVersion: 10, opsetImport: [{ domain: '', version: 21 }, { domain: 'com.microsoft', version: 1 }],
    graph: {
      name: 'g', input: [tensor('q', queries), tensor('k', keys), tensor('v', keys)], output: [tensor('y', queries)],
      node: [{ opType: 'MultiHeadAttention', domain: 'com.microsoft', input: ['q', 'k', 'v'], output: ['y'],
        attribute: [{ name: 'num_heads', type: 2, i: 1 }, { name: 'unidirectional', type: 2, i: 1 }] }],
    },
  }).finish();
  const float = (rows, value) =>
    new ort.Tensor('float32', Float32Array.from({ length: rows }, (_, row) => value(row)), [1, rows, 1]);
  const session = await ort.InferenceSession.create(model);
  const feeds = { q: float(queries, () => 0), k: float(keys, () => 0), v: float(keys, row => 10 ** row) };
  const { y } = await session.run(feeds);
  const mean = count => (10 ** count - 1) / 9 / count;
  return [...y.data].map(value => [1, 2, 3, 4, 5].find(count => Math.abs(value / mean(count) - 1) < 1e-4)).join();
};
const main = async () => {
  const seen = [await keysSeen(4, 4), await keysSeen(2, 5), await keysSeen(3, 5)];
  console.log(`keys seen by each of 4 queries of 4 keys: ${seen[0]}; 2 of 5: ${seen[1]}; 3 of 5: ${seen[2]}`);
  console.log('expected: 1,2,3,4; 1,2 or 4,5; 1,2,3 or 3,4,5');
  process.exit(seen.join(' ') === '1,2,3,4 1,5 1,2,5' ? 0 : 1);
};
main();
END
node "$work/run.cjs"
