# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# What a change calls for, by path: . tests/support/changes.sh, after presets.sh. `choose_since <revision>` says what it
# chooses, and why; `changed_configurations` are those configurations.

# area <name> <paths: an extended regular expression>: whether a changed file has one
area() {
  first=$(grep -E -m 1 "$2" "$root/build/tests/changed_files") || return 1
  echo "chosen: $1, by $first"
}

# choose_since <revision>: sets chosen_targets, chosen_tests, chosen_presets, chosen_compiled (what this CPU cannot run)
# and chosen_packages (purposes of toolchains/install.sh).
choose_since() {
  chosen_targets=
  chosen_tests=
  chosen_presets=
  chosen_compiled=
  chosen_packages=
  mkdir -p "$root/build/tests"
  if ! changed_files "$1" > "$root/build/tests/changed_files" 2> /dev/null; then
    unknown=${1:-no revision}
    echo "nothing is chosen by path: $unknown is not in this folder's history (git fetch --unshallow)"
    return
  fi
  unknown=
  choose_tests
  choose_presets
  [ -n "$chosen_tests$chosen_presets$chosen_compiled" ] ||
    echo "nothing is chosen by path: no change since $1 calls for more"
}

# changed_files <revision>: in commits since, in the folder, and new.
changed_files() {
  git -C "$root" diff --name-only "$1" -- && git -C "$root" ls-files --others --exclude-standard
}

# calls <targets> <tests: an extended regular expression> [packages]
calls() {
  chosen_targets="$chosen_targets $1"
  chosen_tests="$chosen_tests${chosen_tests:+|}$2"
  chosen_packages="$chosen_packages ${3:-}"
}

choose_tests() {
  area command '^(tools/|runtime/text/|tests/(command|tools|data)/|examples/)' &&
    calls 'heed_command command_tests data_tests' 'command_.*|error_compensation_test|tokenizer_.*|quick_start' cortex-m
  area architectures '^(tools/(architectures|formats|tensors|tokenizers)/|tests/architectures/)' &&
    calls heed_command 'architecture_.*'
  area fuzz '^(tools/(formats|tensors|tokenizers|architectures|support)/|runtime/(text|transformer|c)/|tests/fuzz/)' &&
    calls fuzz_tests 'fuzz_.*'
  area python '^(packaging/python/|include/.*\.h$|runtime/c/|tests/python/)' &&
    calls 'heed_command heed_python' 'python_.*'
  # Each builds the library once more, or several times.
  area packages "^(packaging/|toolchains/|ports/.*\\.cmake$|library\\.json|CMakeLists\\.txt$|CMakePresets|\
tests/(package|consumer|flags|new_port|toolchains)/)" &&
    calls 'heed heed_command' 'package.*|manifests|firmware_packages|subdirectory|consumer_.*|flags' packages &&
    calls heed 'new_port|targets|native_toolchain|reproducible|manual|reference|releases'
  area runs '^tests/(support/.*|[a-z]+)\.sh$' && calls 'heed heed_python' 'changes|runner' 'packages bench'
  area pages '(\.md$|^tests/readme/|^docs/)' &&
    calls page_programs 'readme_.*|quick_start|packaging_page|python_page' 'packages bench cortex-m'
  area functions '^runtime/(numerics|kernels|nn|positions)/|^ports/.*(exp2|sigmoid|map|tanh)' &&
    calls sweep_tests 'exp2_test|tanh_test|phase_test|square_root_test'
  area headers '^include/' && calls heed 'c_headers|cpp_headers|unused_features'
  area measures '^bench/' && calls heed_speed 'quiet_rounds|noisy_goals|readme_speed' bench
  area tree '^(runtime|ports|tools|include)/' && calls heed cppcheck
  return 0
}

# The presets of a changed port, whose kernels are compared with the shared ones. A port inherits from folders, too.
choose_presets() {
  while read -r preset folders; do
    area "$preset" "^ports/($folders)" || continue
    chosen_presets="$chosen_presets $preset"
    case $preset in
      cortex-a*) chosen_packages="$chosen_packages cortex-a" ;;
      cortex-m*) chosen_packages="$chosen_packages cortex-m" ;;
      riscv64-rvv*) chosen_packages="$chosen_packages riscv64-rvv" ;;
      riscv32*) chosen_packages="$chosen_packages riscv32" ;;
      aarch64* | armv7*) chosen_packages="$chosen_packages ${preset%%-*}" ;;
    esac
  done << 'PORTS'
cortex-m4f-gcc (arm_m|single_floats)/|[a-z_]*\.hpp
cortex-m55-gcc arm_mve/|[a-z_]*\.hpp
cortex-m0plus-gcc (arm_m0|soft_floats)/|[a-z_]*\.hpp
riscv32imc-bare-gcc (riscv_i|soft_floats|long_products)/
aarch64-dotprod-linux-gcc (arm_neon64_dotprod|arm_neon64|neon_integers)/|neon
cortex-m3-gcc (arm_m3|long_products)/
riscv32-bare-gcc riscv_f/
armv7-linux-gcc arm_neon32/|neon_
aarch64-linux-gcc arm_neon64/|neon64
aarch64-i8mm-linux-gcc arm_neon64_i8mm/
riscv64-rvv128-linux-clang riscv_rvv/
x86_scalar-gcc scalar
cortex-a53-bare-gcc boards/virt_a53/
PORTS
  for port in x86_avx512 x86_avx512_vnni; do
    area $port-gcc "^ports/$port/" || continue
    case $native in
      "$port"*) chosen_presets="$chosen_presets $port-gcc" ;;
      *) chosen_compiled="$chosen_compiled $port-gcc" ;;
    esac
  done
}

changed_configurations() {
  if [ -n "$unknown" ]; then skip changed "$unknown is not in this folder's history"; fi
  if [ -n "$chosen_tests" ]; then
    # The manifests are compared with the library's single files.
    apart=$together
    case $chosen_packages in *packages*) apart= ;; esac
    # shellcheck disable=SC2086
    configuration changed "$host-gcc" "$chosen_targets" "-R ^($chosen_tests)$" $apart
  fi
  for preset in $chosen_presets; do
    is_listed "core-${preset%-gcc}" && continue
    case $preset in riscv32*) has_riscv32 "changed-$preset" || continue ;; esac
    # shellcheck disable=SC2086
    configuration "changed-$preset" "$preset" "$checks" "-R $only_checks" $together $uncounted
  done
  for preset in $chosen_compiled; do compile "changed-$preset" "$preset" 'this CPU cannot run it'; done
}
