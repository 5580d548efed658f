/*
 * kept_options.h: a copy of the options of vmtap_start(), for the children of fork() that serve a
 * stream with the same ones (member serve_children).
 */
#ifndef VMTAP_SHIM_SERVER_KEPT_OPTIONS_H
#define VMTAP_SHIM_SERVER_KEPT_OPTIONS_H

#include "vmtap.h"

/* Returns a copy of the options, which the caller frees; NULL if memory runs out. */
struct vmtap_options *kept_options_new(const struct vmtap_options *options);
void kept_options_free(struct vmtap_options *options);

#endif
