/*
 * messages.h: the messages about faults and drops, in DTrace's words.
 */
#ifndef VMTAP_ENGINE_OUTPUT_MESSAGES_H
#define VMTAP_ENGINE_OUTPUT_MESSAGES_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/output/writer.h"

void messages_print_fault(const struct writer_fault *fault, FILE *messages);

/* tag: the message names the kind of drop (option droptags). */
void messages_print_drop(const struct writer_drop *drop, bool tag, FILE *messages);

#endif
