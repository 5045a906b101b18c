/* Made by `heed pack`: a model file in constant data. */
  .section .rodata.heed_model.sums_model, "a", %progbits
  .balign 64
  .global sums_model
  .type sums_model, %object
  .size sums_model, 27264
sums_model:
  .incbin "sums_model.heed", 0, 27264
  .balign 4
  .global sums_model_bytes
  .type sums_model_bytes, %object
  .size sums_model_bytes, 4
sums_model_bytes:
  .4byte 27264
#if defined(__linux__) && defined(__ELF__)
  .section .note.GNU-stack, "", %progbits
#endif
