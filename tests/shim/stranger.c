/*
 * stranger.c: an extension that, to the runtime, looks as if it was built from another version of
 * the contract.
 */
#include "shim/object.h"

static struct vmtap_object stranger = {.digest = 1};

__attribute__((constructor)) static void enter(void)
{
	vmtap_object_add(&stranger);
}

__attribute__((destructor)) static void leave(void)
{
	vmtap_object_remove(&stranger);
}
