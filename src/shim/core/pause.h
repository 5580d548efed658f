/*
 * pause.h: a short sleep of the calling thread, for the case that a sandbox refuses the system call
 * that it would wait with.
 */
#ifndef VMTAP_SHIM_CORE_PAUSE_H
#define VMTAP_SHIM_CORE_PAUSE_H

#include <stdbool.h>

enum { PAUSE_REFUSED_MS = 5 /* how long to sleep before a refused call is tried again */ };

/* Sleeps with whichever system call is allowed. Returns false if none is. */
bool pause_for(int wait_ms);

#endif
