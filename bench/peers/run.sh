#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [models | llama | products | boards]: measures heed beside OpenBLAS, oneDNN and ONNX Runtime on the same
# numbers, in turns on one core, and prints the table, in about three minutes; with `models`, whole models beside ONNX
# Runtime and llama2.c, and with `products`, products of integers beside oneDNN's and ONNX Runtime's, in half a minute
# and the build; with `llama`, Llamas of the dimensions of the models that follow, or else of SmolLM-135M and
# Qwen2.5-0.5B, beside llama.cpp, by one worker and by two, and then tokens with its weights in huge pages, too, in five
# minutes; with `boards`, counts products
# beside CMSIS-NN's in the emulators of a Cortex-M4F and a Cortex-M55, and on AArch64, there and on the M55 beside what
# they, and a clip of KWT-1 on the M55, take at least. Installs the packages that are missing; ONNX Runtime and llama.cpp
# come from npm into build/peers. The results stay in build/peers/results.json, models.json, llama.json,
# llama_read.json and products.json.
#
# The models' weights are looked for in HEED_KWT1 and HEED_STORIES, or in ../shared/kwt1 and ../shared/stories260k; the
# sources of llama2.c in HEED_LLAMA2C and of CMSIS-NN in HEED_CMSIS_NN, or they are cloned into build/peers. What is
# absent is said, and left out.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
subject=${1:-attention}
case $subject in
  attention) targets="heed_peers heed_peers_table" ;;
  models) targets="heed_peers_models heed_command heed_goals" ;;
  llama) targets="heed_peers_llama heed_goals" ;;
  products) targets="heed_peers_products heed_goals" ;;
  boards) targets= ;;
  *)
    echo "run.sh: $subject: models, llama, products, boards, or nothing, is needed" >&2
    exit 2
    ;;
esac
build=$root/build/peers
mkdir -p "$build"
log=$build/build.log

# quietly <command...>, and show what it said only if it fails
quietly() { "$@" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }; }

count_on_boards() {
  sh "$root/toolchains/install.sh" desktop cortex-m cortex-a
  cmsis_nn=${HEED_CMSIS_NN:-$build/cmsis-nn}
  if [ ! -d "$cmsis_nn/Source" ]; then
    quietly git clone --quiet --depth 1 https://github.com/ARM-software/CMSIS-NN "$cmsis_nn"
  fi
  for core in cortex-m4f cortex-m55; do
    quietly cmake -S "$root" -B "$build/$core" -G Ninja --toolchain "$root/toolchains/$core-gcc.cmake" \
      -DCMAKE_BUILD_TYPE=Release -DHEED_BUILD_TESTS=OFF -DHEED_BUILD_BENCH=OFF "-DHEED_CMSIS_NN=$cmsis_nn"
    quietly cmake --build "$build/$core" --target firmware_cmsis_nn
    echo "$core"
    cmake --build "$build/$core" --target run_firmware_cmsis_nn | grep ': '
  done
  for port in arm_neon64 arm_neon64_dotprod arm_neon64_i8mm; do
    case $port in
      *_dotprod) architecture=armv8.2-a+dotprod ;;
      *_i8mm) architecture=armv8.2-a+dotprod+i8mm ;;
      *) architecture=armv8-a ;;
    esac
    quietly cmake -S "$root" -B "$build/$port" -G Ninja --toolchain "$root/toolchains/cortex-a53-bare-gcc.cmake" \
      -DCMAKE_BUILD_TYPE=Release -DHEED_BUILD_TESTS=OFF -DHEED_BUILD_BENCH=OFF -DHEED_COUNT_PRODUCTS=ON \
      "-DHEED_PORT=$port" "-DCMAKE_CXX_FLAGS=-march=$architecture -fno-pie -mno-outline-atomics"
    quietly cmake --build "$build/$port" --target firmware_products
    echo "$port"
    qemu-system-aarch64 -M virt -cpu max -nic none -display none -monitor none -serial none \
      -chardev stdio,id=console -semihosting-config enable=on,target=native,chardev=console \
      -icount shift=0,align=off,sleep=off -kernel "$build/$port/firmware_products" < /dev/null
  done
}

if [ "$subject" = boards ]; then
  count_on_boards
  exit
fi

purposes="desktop tools bench peers"
if ! command -v node > /dev/null || ! command -v npm > /dev/null; then purposes="$purposes node"; fi
# The list of purposes is meant to be split.
# shellcheck disable=SC2086
sh "$root/toolchains/install.sh" $purposes
toolchain=$(sh "$root/toolchains/host.sh" gcc)

llama2c=${HEED_LLAMA2C:-$build/llama2.c}
if [ "$subject" = models ] && [ ! -f "$llama2c/runq.c" ]; then
  if [ -n "${HEED_LLAMA2C:-}" ] ||
     ! git clone --quiet --depth 1 https://github.com/karpathy/llama2.c "$llama2c" > "$log" 2>&1; then
    echo "run.sh: no llama2.c: there is no $llama2c/runq.c (HEED_LLAMA2C), and it has not been cloned" >&2
  fi
fi
if [ -f "$llama2c/runq.c" ]; then llama2c=$(cd "$llama2c" && pwd); else llama2c=; fi

# Libraries for every kind of CPU, and the sources that they were built from, whose headers are those of the libraries.
# They are taken from the packages as they are: nothing is installed, and no script of theirs runs.
llama_cpp=
if [ "$subject" = llama ]; then
  llama_cpp=$build/llama.cpp
  packages=3.22.1
  if [ ! -f "$llama_cpp/include/llama.h" ]; then
    rm -rf "$llama_cpp"
    mkdir -p "$llama_cpp/include" "$llama_cpp/lib"
    quietly npm pack --pack-destination "$llama_cpp" "node-llama-cpp@$packages" "@node-llama-cpp/linux-x64@$packages"
    tar -C "$llama_cpp/lib" -xzf "$llama_cpp/node-llama-cpp-linux-x64-$packages.tgz" --strip-components=3 package/bins
    tar -C "$llama_cpp" -xzf "$llama_cpp/node-llama-cpp-$packages.tgz" --strip-components=2 package/llama
    if ! grep -q "$(sed -n 's/.*\("release": "[^"]*"\).*/\1/p' "$llama_cpp/binariesGithubRelease.json" | tr -d ' ')" \
      "$llama_cpp/lib/_nlcBuildMetadata.json"; then
      echo "run.sh: the libraries of llama.cpp are not of its sources" >&2
      exit 1
    fi
    quietly git clone --quiet "$llama_cpp/gitRelease.bundle" "$llama_cpp/sources"
    cp "$llama_cpp"/sources/include/llama.h "$llama_cpp"/sources/ggml/include/*.h "$llama_cpp/include"
  fi
fi

quietly cmake --fresh -S "$root" -B "$build" -G Ninja --toolchain "$toolchain" -DCMAKE_BUILD_TYPE=Release \
  -DHEED_BUILD_TESTS=OFF -DHEED_BUILD_TOOLS=ON -DHEED_BUILD_PEERS=ON "-DHEED_LLAMA2C=$llama2c" "-DHEED_LLAMA_CPP=$llama_cpp"
# The list of targets is meant to be split.
# shellcheck disable=SC2086
quietly cmake --build "$build" --target $targets
# The package holds the CPU library; its install script would fetch another one.
if [ "$subject" != llama ] && [ ! -d "$build/node_modules/onnxruntime-node" ]; then
  quietly npm install --prefix "$build" --ignore-scripts --no-audit --no-fund onnxruntime-node
fi
export NODE_PATH="$build/node_modules" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

measure_attention() {
  echo 'measuring ...' >&2
  "$build/bench/peers/heed_peers" "$root/bench/peers" "$build/results.json"
  "$build/bench/peers/heed_peers_table" "$root/bench/goals.json" "$build/results.json"
}

measure_models() {
  kwt1=${HEED_KWT1:-$root/../shared/kwt1}
  stories=${HEED_STORIES:-$root/../shared/stories260k}
  heed=$build/tools/heed
  if [ -f "$kwt1/kwt1.safetensors" ]; then
    quietly "$heed" pack --model "$root/examples/firmware/kwt1.json" --weights "$kwt1/kwt1.safetensors" \
      --out "$build/kwt1.heed"
    quietly "$heed" pack --model "$root/examples/firmware/kwt1.json" --weights "$kwt1/kwt1.safetensors" \
      --weight-type int8 --activations int8 --out "$build/kwt1_integers.heed"
  fi
  if [ -f "$stories/stories260K.bin" ]; then
    for type in float32 int8; do
      quietly "$heed" pack --llama2c "$stories/stories260K.bin" --weight-type $type --out "$build/stories_$type.heed"
    done
    quietly "$heed" pack --llama2c "$stories/stories260K.bin" --weight-type int8 --activations int8 \
      --out "$build/stories_integers.heed"
  fi
  echo 'measuring ...' >&2
  "$build/bench/peers/heed_peers_models" "$root/bench/peers" "$build/models.json" "$kwt1" "$stories"
  "$build/bench/heed_goals" "$root/bench/goals.json" models "$build/models.json"
}

measure_llama() {
  echo 'measuring ...' >&2
  "$build/bench/peers/heed_peers_llama" "$build/llama.json" "$@"
  GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "$build/bench/peers/heed_peers_llama" "$build/llama_read.json" --read "$@"
  "$build/bench/heed_goals" "$root/bench/goals.json" llama "$build/llama.json" "$build/llama_read.json"
}

measure_products() {
  echo 'measuring ...' >&2
  "$build/bench/peers/heed_peers_products" "$root/bench/peers" "$build/products.json"
  "$build/bench/heed_goals" "$root/bench/goals.json" products "$build/products.json"
}

if [ "$subject" = llama ]; then
  shift
  if [ $# = 0 ]; then set -- SmolLM-135M Qwen2.5-0.5B; fi
  measure_llama "$@"
else
  "measure_$subject"
fi
