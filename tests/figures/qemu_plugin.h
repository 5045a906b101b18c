/* SPDX-License-Identifier: MIT
 *
 * The part of QEMU's interface for plugins that count_instructions.c uses, written from its documentation ("QEMU TCG
 * Plugins", version 1 of the interface). Debian's packages of QEMU 7.2 load plugins, but have no header. */
#ifndef HEED_QEMU_PLUGIN_H
#define HEED_QEMU_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;

/* Instructions that are translated together and run from the first to the last, exceptions apart. */
struct qemu_plugin_tb;

typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb* block);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int processor, void* argument);
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t callback);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb* block, qemu_plugin_vcpu_udata_cb_t callback,
                                          enum qemu_plugin_cb_flags flags, void* argument);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb* block, enum qemu_plugin_op operation,
                                              void* counter, uint64_t addend);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb* block);

#endif
