# SPDX-License-Identifier: MIT
#
# Folders as their makers publish them, packed and run, against references in double precision.
foreach(architecture llama mistral qwen2 qwen3 gemma gemma2 gemma3 phi3 granite smollm3 gpt2 gpt_neox opt
        bert roberta distilbert sentence_embedding vit deit timm_vit t5_encoder t5_decoder whisper_encoder
        whisper_decoder gguf gguf_tokenizer memory)
  heed_add_script_test(architecture_${architecture} LABELS data once
    COMMAND architectures/check_architecture.sh $<TARGET_FILE:heed_command> ${architecture})
endforeach()
