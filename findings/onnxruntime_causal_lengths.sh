#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Package: onnxruntime-node 1.30.0 (npm), the CPU provider.
# Expected: input nonpad_kv_seqlen of ONNX's Attention (opset 24) says how many keys are no padding, so naming all of
#   them changes nothing.
# Seen: with is_causal the diagonal begins at the upper left without that input and ends at the lower right with it.
#   Two queries of four keys see 1 and 2 of them; with nonpad_kv_seqlen = 4 they see 3 and 4.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" \
  onnxruntime-node@1.30.0 onnx-proto@8.0.1 protobufjs@6.11.6
cat > "$work/run.cjs" <<'END'
const ort = require('onnxruntime-node');
const { onnx } = require('onnx-proto');
const [float32, int64] = [1, 7];
const tensor = (name, elemType, dims) =>
  ({ name, type: { tensorType: { elemType, shape: { dim: dims.map(dimValue => ({ dimValue })) } } } });
const float = (...data) => new ort.Tensor('float32', Float32Array.from(data), [1, 1, data.length, 1]);
// Scores of zero, so that a row is the mean of the values that it sees: 1, 10, 100, 1000.
const feeds = { q: float(0, 0), k: float(0, 0, 0, 0), v: float(1, 10, 100, 1000) };
const means = [1, 5.5, 37, 277.75];
const keysSeen = async inputs => {
  const model = onnx.ModelProto.encode({
    irVersion: 10, opsetImport: [{ domain: '', version: 24 }],
    graph: {
      name: 'g', output: [tensor('y', float32, [1, 1, 2, 1])],
      input: Object.keys(inputs).map(name =>
        tensor(name, name === 'lengths' ? int64 : float32, inputs[name].dims)),
      node: [{ opType: 'Attention', input: ['q', 'k', 'v', '', '', '', 'lengths'].slice(0, inputs.lengths ? 7 : 3),
        output: ['y'], attribute: [{ name: 'is_causal', type: 2, i: 1 }] }],
    },
  }).finish();
  const { y } = await (await ort.InferenceSession.create(model)).run(inputs);
  return [...y.data].map(value => 1 + means.findIndex(mean => Math.abs(value - mean) < 0.01)).join();
};
const main = async () => {
  const without = await keysSeen(feeds);
  const all = await keysSeen({ ...feeds, lengths: new ort.Tensor('int64', BigInt64Array.of(4n), [1]) });
  console.log(`keys that two queries of four keys see: ${without}; with nonpad_kv_seqlen = 4: ${all}`);
  console.log('expected: twice the same');
  process.exit(without === '1,2' && all === '3,4' ? 0 : 1);
};
main();
END
node "$work/run.cjs"
