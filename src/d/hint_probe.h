/*
 * hint_probe.h: what to write instead of a probe that does not exist here, but is known from other
 * systems or other tracing languages. Private to src/d.
 */
#ifndef VMTAP_D_HINT_PROBE_H
#define VMTAP_D_HINT_PROBE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Which probes to use instead of those of a provider that only other systems have:
 * " (vmtap has no provider vminfo: page faults are sdt:::page_fault_user)". "" for any
 * other provider.
 */
const char *d_hint_provider(const char *provider, const char *name, char *text, size_t size);

/*
 * How D writes a probe that was written as in bpftrace. parts are what D has read of it.
 * " (D has fbt::vfs_read:entry)", or "" if it is nothing of bpftrace's.
 */
const char *d_hint_foreign(const char *const parts[4], char *text, size_t size);

/* What Linux calls a probe or system call that other systems have by this name, or NULL. */
const char *d_hint_renamed(const char *provider, const char *function, const char *name);

/* Whether a probe's name says what a known one does by another word: gc-begin and gc-start. */
bool d_hint_is_synonym(const char *name, const char *known);

#endif
