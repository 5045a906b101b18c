/* SPDX-License-Identifier: MIT
 *
 * A plugin for QEMU: -plugin <this>,begin=<address>,end=<address>,out=<file>. Writes a line for every time that the
 * program comes from `begin` to `end`: the instructions that it ran on the way. Both are the first instructions of
 * functions, where a block always starts. One processor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int qemu_plugin_version = 1;
EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int count, char** arguments);

static uint64_t begin_address;
static uint64_t end_address;
static uint64_t instructions;
static uint64_t at_begin;
static FILE* out;

static void begin(unsigned int processor, void* argument) {
  (void)processor;
  (void)argument;
  at_begin = instructions;
}

static void end(unsigned int processor, void* argument) {
  (void)processor;
  (void)argument;
  fprintf(out, "%llu\n", (unsigned long long)(instructions - at_begin));
  fflush(out);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  const uint64_t address = qemu_plugin_tb_vaddr(block);
  if (address == begin_address) qemu_plugin_register_vcpu_tb_exec_cb(block, begin, QEMU_PLUGIN_CB_NO_REGS, NULL);
  if (address == end_address) qemu_plugin_register_vcpu_tb_exec_cb(block, end, QEMU_PLUGIN_CB_NO_REGS, NULL);
  qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &instructions,
                                           qemu_plugin_tb_n_insns(block));
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int count, char** arguments) {
  (void)info;
  for (int i = 0; i < count; ++i) {
    const char* value = strchr(arguments[i], '=');
    if (value == NULL) return 1;
    ++value;
    if (strncmp(arguments[i], "begin=", 6) == 0) begin_address = strtoull(value, NULL, 16);
    if (strncmp(arguments[i], "end=", 4) == 0) end_address = strtoull(value, NULL, 16);
    if (strncmp(arguments[i], "out=", 4) == 0) out = fopen(value, "w");
  }
  if (begin_address == 0 || end_address == 0 || out == NULL) return 1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  return 0;
}
