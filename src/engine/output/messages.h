/*
 * messages.h: what a user reads about faults and drops, in DTrace's words.
 */
#ifndef VMTAP_ENGINE_OUTPUT_MESSAGES_H
#define VMTAP_ENGINE_OUTPUT_MESSAGES_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/output/writer.h"

void messages_print_fault(const struct writer_fault *fault, FILE *messages);

/* tag: the message says which kind of drop it is, as option droptags has it. */
void messages_print_drop(const struct writer_drop *drop, bool tag, FILE *messages);

#endif
