/*
 * translate_variables.h: translates loads and stores of variables: this-> in the frame, self-> in
 * the thread's memory, elements of arrays in a map. Variables that all threads share are refused,
 * except elements that belong to one thread by their keys: others could change them between a load
 * and a store.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_TRANSLATE_VARIABLES_H
#define VMTAP_KERNEL_TRANSLATE_TRANSLATE_VARIABLES_H

#include "kernel/translate/translator.h"

void translator_load_variable(struct translator *t, const struct d_instruction *at);
void translator_load_element(struct translator *t, const struct d_instruction *at);

/* Stores into a variable. from: the register's number, or -1 for 0. An element that is 0 does not
 * exist. */
void translator_store_variable(struct translator *t, uint32_t index, int from);
void translator_store_element(struct translator *t, const struct d_instruction *at, int from);

/* Writes an integer that is a key, cut to its type, to the given place. */
void translator_put_key(
	struct translator *t, unsigned reg, const struct d_value_type *type, int place);

/* Counts a store for which there was no room; changes R0 and R1. */
void translator_count_lost_store(struct bpf_code *code, const struct kernel_reduction *reduction);

#endif
