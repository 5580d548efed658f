/*
 * stranger.c: an extension that was built for another version of the library, whose tables the
 * runtime cannot read.
 */
#include "shim/core/object.h"

static struct vmtap_object stranger = {
	.size = sizeof(stranger), .version = VMTAP_OBJECT_VERSION + 1};

__attribute__((constructor)) static void enter(void)
{
	vmtap_object_add(&stranger);
}

__attribute__((destructor)) static void leave(void)
{
	vmtap_object_remove(&stranger);
}
