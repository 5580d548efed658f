/*
 * versioned.c: an extension whose probes were made from another version of the contract, which
 * tests/e2e/contract_versions.sh writes: VERSION_OLDER has fewer arguments, VERSION_NEWER has more
 * and one more probe, VERSION_CHANGED has another type for an argument.
 */
#include "vmtap.h"

__attribute__((visibility("default"))) void extension_fire(uint16_t cap, unsigned count);

static struct vmtap_name name = VMTAP_NAME("a name");

void extension_fire(uint16_t cap, unsigned count)
{
	while (count--) {
#if defined(VERSION_OLDER)
		VMTAP_LOCK_WAIT(cap, 5, 6);
		VMTAP_OBJECT_CREATE(&name, 48, &name, 3);
#elif defined(VERSION_NEWER)
		VMTAP_GC_END(cap, 7, 1, 4096, &name, 99);
		VMTAP_GC_IDLE(cap, 77);
		VMTAP_GC_NOVELTY(cap, 5);
#elif defined(VERSION_CHANGED)
		VMTAP_LOCK_ACQUIRED(cap, 5, 6, &name);
		VMTAP_LOCK_WAIT(cap, 5, 6, &name);
#endif
	}
}
