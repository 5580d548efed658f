/*
 * hint_probe.h: what to write instead of a probe that no source has, because other systems or other
 * tracing languages call it so. Private to src/d.
 */
#ifndef VMTAP_D_HINT_PROBE_H
#define VMTAP_D_HINT_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What tells the same as a probe of a provider of DTrace's that vmtap has not, also with a pid at
 * the provider's name: " (vmtap has no provider vminfo: page faults are sdt:::page_fault_user)".
 * "" for any other provider.
 */
const char *d_hint_provider(const char *provider, const char *name, char *text, size_t size);

/*
 * D's form of a probe of bpftrace's, whose parts are those of the description that D has read:
 * " (D has fbt::vfs_read:entry)". "" if it is none.
 */
const char *d_hint_foreign(const char *const parts[4], char *text, size_t size);

/* Linux's name of a probe or a system call that other systems call so, or NULL. */
const char *d_hint_renamed(const char *provider, const char *function, const char *name);

/* Whether a probe's name says what a known one does by another word: gc-begin and gc-start. */
bool d_hint_is_synonym(const char *name, const char *known);

#endif
