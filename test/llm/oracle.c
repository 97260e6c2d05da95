// llama.cpp by its public API, for ctypes: the few calls that the test of examples/llm needs, without structures.
//
// SPDX-License-Identifier: Apache-2.0
#include <llama.h>
#include <stdlib.h>
#include <string.h>

static void be_silent(enum ggml_log_level level, const char* text, void* data) {
    (void)level, (void)text, (void)data;
}

void oracle_start(const char* backends) {
    if (getenv("KLEIDIAI_LLAMA_LOG") == NULL) {
        llama_log_set(be_silent, NULL);
    }
    ggml_backend_load_all_from_path(backends);
    llama_backend_init();
}

/// NULL: the file is refused.
void* oracle_open(const char* path, int vocabulary_only) {
    struct llama_model_params parameters = llama_model_default_params();
    parameters.vocab_only = vocabulary_only != 0;
    parameters.use_extra_bufts = false;  // weights stay as they are in the file
    return llama_model_load_from_file(path, parameters);
}

void oracle_close(void* model) {
    llama_model_free(model);
}

int oracle_vocabulary(void* model) {
    return llama_vocab_n_tokens(llama_model_get_vocab(model));
}

int oracle_tokenize(void* model, const char* text, int length, int ends, int specials, int32_t* tokens, int most) {
    return llama_tokenize(llama_model_get_vocab(model), text, length, tokens, most, ends != 0, specials != 0);
}

int oracle_piece(void* model, int32_t token, char* text, int most) {
    return llama_token_to_piece(llama_model_get_vocab(model), token, text, most, 0, false);
}

/// logits [count][vocabulary] of all positions; the cache holds f32 or f16. Returns 0, or what failed.
int oracle_logits(void* model, const int32_t* tokens, int count, int context, int f32_cache, float* logits) {
    struct llama_context_params parameters = llama_context_default_params();
    parameters.n_ctx = (uint32_t)context;
    parameters.n_batch = parameters.n_ubatch = 512;
    parameters.n_threads = parameters.n_threads_batch = 2;
    parameters.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
    parameters.type_k = parameters.type_v = f32_cache ? GGML_TYPE_F32 : GGML_TYPE_F16;
    parameters.swa_full = true;
    struct llama_context* with = llama_init_from_model(model, parameters);
    if (with == NULL) {
        return 1;
    }
    const size_t vocabulary = (size_t)oracle_vocabulary(model);
    struct llama_batch batch = llama_batch_init(512, 0, 1);
    int status = 0;
    for (int first = 0; first < count && status == 0; first += batch.n_tokens) {
        batch.n_tokens = count - first < 512 ? count - first : 512;
        for (int i = 0; i < batch.n_tokens; i++) {
            batch.token[i] = tokens[first + i], batch.pos[i] = first + i, batch.logits[i] = 1;
            batch.n_seq_id[i] = 1, batch.seq_id[i][0] = 0;
        }
        status = llama_decode(with, batch);
        for (int i = 0; i < batch.n_tokens && status == 0; i++) {
            memcpy(
                logits + (size_t)(first + i) * vocabulary, llama_get_logits_ith(with, i), vocabulary * sizeof(float));
        }
    }
    llama_batch_free(batch);
    llama_free(with);
    return status;
}
