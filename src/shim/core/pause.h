/*
 * pause.h: a short sleep of the calling thread, for when a sandbox refuses the call that it would
 * wait by.
 */
#ifndef VMTAP_SHIM_CORE_PAUSE_H
#define VMTAP_SHIM_CORE_PAUSE_H

#include <stdbool.h>

enum { PAUSE_REFUSED_MS = 5 /* how long to sleep before a refused call is tried again */ };

/* Sleeps by whichever system call is allowed. False: none is. */
bool pause_for(int wait_ms);

#endif
