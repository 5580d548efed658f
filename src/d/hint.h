/*
 * hint.h: hints at the end of messages: D's name for something that other tracing languages call by
 * another name. Private to src/d.
 */
#ifndef VMTAP_D_HINT_H
#define VMTAP_D_HINT_H

#include <stdbool.h>
#include <stddef.h>

/* " (D has NAME)" for a bpftrace function or variable that D does not have, "" for other names. */
const char *d_hint_name(const char *name, bool is_function);

/* " (option -C)" for a directive of C's preprocessor, "" for others. */
const char *d_hint_directive(const char *word);

/*
 * " (...)" if the size bytes at text start with a construct of another language that D does not
 * accept here; "" for anything else.
 */
const char *d_hint_text(const char *text, size_t size);

#endif
