/*
 * messages.h: the messages about faults and drops, in DTrace's words.
 */
#ifndef VMTAP_ENGINE_OUTPUT_MESSAGES_H
#define VMTAP_ENGINE_OUTPUT_MESSAGES_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/output/writer.h"

/* "invalid address (0x10) at BPF pc 3", without a newline. */
void messages_print_reason(const struct writer_fault *fault, FILE *messages);

/* DTrace's tag of a kind of drop ("PRINCIPAL"), and "3 drops on CPU 0" without a newline. */
const char *messages_drop_tag(enum drop_kind kind);
void messages_print_count(const struct writer_drop *drop, FILE *messages);

void messages_print_fault(const struct writer_fault *fault, FILE *messages);

/* tag: the message names the kind of drop (option droptags). */
void messages_print_drop(const struct writer_drop *drop, bool tag, FILE *messages);

#endif
