/*
 * stranger.c: an extension that was built from another version of the contract, as far as the
 * runtime can see.
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
