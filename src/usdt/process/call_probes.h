/*
 * call_probes.h: whether a process has USDT probes of the calls of its language, which the bundled
 * scripts' parts calls.d and returns.d read.
 */
#ifndef VMTAP_USDT_PROCESS_CALL_PROBES_H
#define VMTAP_USDT_PROCESS_CALL_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct usdt_image;

/* The provider by which a file shows calls, such as "python"; NULL: it has none. */
const char *call_probes_of_image(const struct usdt_image *image);

/* The probe of a call of a provider that has one. */
const char *call_probes_entry(const char *provider);

/* The provider of a process that runs, as of a file; NULL too if it cannot be read. */
const char *call_probes_of_process(uint32_t pid);

#endif
