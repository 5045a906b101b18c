#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Package: onnxruntime-node 1.30.0 (npm), the CPU provider on x86-64.
# Expected: the largest of 1, NaN, 2, 3 is NaN, as in NumPy and PyTorch, or 3, as by IEEE 754's maximumNumber. So a
#   NaN among scores is seen, or does no harm.
# Seen: ReduceMax says 2, and TopK that the two largest are 1 and NaN; ArgMax finds the 3. With the NaN first it is
#   the largest for all three, and farther back for none: the place decides.
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
const model = onnx.ModelProto.encode({
  irVersion: 10, opsetImport: [{ domain: '', version: 21 }],
  graph: {
    name: 'g', input: [tensor('x', float32, [1, 4])],
    initializer: [{ name: 'two', dataType: int64, dims: [1], rawData: new Uint8Array(BigInt64Array.of(2n).buffer) }],
    output: [tensor('max', float32, [1, 1]), tensor('arg', int64, [1, 1]), tensor('top', float32, [1, 2])],
    node: [{ opType: 'ReduceMax', input: ['x'], output: ['max'] },
      { opType: 'ArgMax', input: ['x'], output: ['arg'], attribute: [{ name: 'axis', type: 2, i: 1 }] },
      { opType: 'TopK', input: ['x', 'two'], output: ['top', 'places'] }],
  },
}).finish();
const main = async () => {
  const session = await ort.InferenceSession.create(model);
  let same = true;
  const seen = ['NaN 0 NaN,3', '2 3 1,NaN', '3 3 3,2', '3 2 3,2'];
  for (let place = 0; place < 4; place++) {
    const x = Float32Array.of(1, 2, 3);
    const row = [...x.slice(0, place), NaN, ...x.slice(place)];
    const { max, arg, top } = await session.run({ x: new ort.Tensor('float32', Float32Array.from(row), [1, 4]) });
    console.log(`${row}: ReduceMax ${max.data[0]}, ArgMax at ${arg.data[0]}, TopK of two ${[...top.data]}`);
    same &&= seen[place] === `${max.data[0]} ${arg.data[0]} ${[...top.data]}`;
  }
  console.log('expected: NaN in each row, or 3');
  process.exit(same ? 0 : 1);
};
main();
END
node "$work/run.cjs"
