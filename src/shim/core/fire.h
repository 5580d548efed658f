/*
 * fire.h: what the generated fire functions of provider vm need besides vmtap_provider.h: the
 * macros that `dtrace -h` makes, the probe part's tables, and the calls of functions of the
 * compatible providers that the VM has opted in for, through a table for each provider. Such a
 * function contains its provider's site of the event.
 */
#ifndef VMTAP_SHIM_CORE_FIRE_H
#define VMTAP_SHIM_CORE_FIRE_H

#include "shim/core/object.h"
#include "vmtap_provider.h"
/* after vmtap_provider.h, which chooses the sites' operands and instructions */
#include "vmtap_sites.h"

/* A function of a compatible provider: a fire function calls it through the provider's table. */
#define FIRE_HOOK static __attribute__((cold, noinline, used))

/*
 * The pointer to a provider's table. Each object with fire functions defines it as NULL, weakly;
 * the provider's object, if it is linked, replaces these definitions. It must always be defined:
 * some linkers (gold) resolve a hidden weak undefined symbol to garbage, so that the program would
 * crash at its first event; others would fetch the provider's object from the archive. It is not
 * const, because gcc would take the weak value for the final one, but is read-only once the program
 * is loaded.
 */
#define FIRE_HOOKS __attribute__((section(".data.rel.ro")))

#endif
