/* SPDX-License-Identifier: MIT */
  .section .rodata.heed_model.sums_tokenizer, "a", %progbits
  .balign 64
  .global sums_tokenizer
  .type sums_tokenizer, %object
  .size sums_tokenizer, 3628
sums_tokenizer:
  .incbin "sums_tokenizer.bin"
#if defined(__linux__) && defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
