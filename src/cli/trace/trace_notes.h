/*
 * trace_notes.h: tells a probe that a target has, but that its event stream does not carry, from
 * one that does not exist.
 */
#ifndef VMTAP_CLI_TRACE_TRACE_NOTES_H
#define VMTAP_CLI_TRACE_TRACE_NOTES_H

#include "targets/targets.h"

/*
 * Called for a probe description that matches no probe ("vm42:::name"): if the USDT notes of a
 * target's objects have a probe that it matches, says so on standard error.
 */
void trace_tell_notes(const struct targets *targets, const char *description);

#endif
