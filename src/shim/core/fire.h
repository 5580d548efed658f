/*
 * fire.h: what the generated fire functions of provider vm need beside vmtap_provider.h: the
 * macros that `dtrace -h` makes, the probe part's tables, and how a fire function calls the
 * functions of the compatible providers that the VM has opted in for, through a table of each.
 * Such a function holds its provider's site of this event in the same way.
 */
#ifndef VMTAP_SHIM_CORE_FIRE_H
#define VMTAP_SHIM_CORE_FIRE_H

#include "shim/core/object.h"
#include "vmtap_provider.h"
/* after vmtap_provider.h, which chooses the sites' operands and instructions */
#include "vmtap_sites.h"

/* A function of a compatible provider: a fire function calls it through the provider's table. */
#define FIRE_HOOK static __attribute__((cold, noinline, used))

/* The pointer to a provider's table. Each object with fire functions defines it as NULL, weakly;
 * the provider's object, if it is linked, replaces these definitions. It must be defined always:
 * some linkers (gold) resolve a weak undefined symbol to garbage when it is hidden, and the program
 * would die at its first event; others would fetch the provider's object from the archive. It is
 * not const, because gcc would take the weak value for the final one, but is read-only once the
 * program is loaded. */
#define FIRE_HOOKS __attribute__((section(".data.rel.ro")))

#endif
