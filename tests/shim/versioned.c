/*
 * versioned.c: an extension whose probes were made from another version of the contract, which
 * tests/e2e/contract_versions.sh writes: VERSION_OLDER has fewer arguments, VERSION_PREVIOUS is the
 * contract's first version, VERSION_NEWER has more arguments and one more probe, VERSION_CHANGED
 * has another type for an argument.
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
#elif defined(VERSION_PREVIOUS)
		VMTAP_GC_START(cap, 1, 0, 1000);
		VMTAP_GC_END(cap, 1, 0, 600);
		VMTAP_ARRAY_CREATE(1, &name, 2, 3);
		VMTAP_HASH_CREATE(4, &name, 5, 6);
		VMTAP_STRING_CREATE(7, &name, 8, 9);
		VMTAP_RAISE(&name, &name, 10, 11);
		VMTAP_CAP_CREATE(cap);
		VMTAP_TASK_CREATE(cap, 12, 13);
		VMTAP_TASK_DELETE(cap, 12);
		VMTAP_GC_STATS(cap, 1, 2, 3, 4, 5, 6, 7, 8);
#elif defined(VERSION_NEWER)
		VMTAP_GC_END(cap, 7, 1, 4096, &name, 8, &name, 99);
		VMTAP_GC_IDLE(cap, 77);
		VMTAP_GC_NOVELTY(cap, 5);
#elif defined(VERSION_CHANGED)
		VMTAP_LOCK_ACQUIRED(cap, 5, 6, &name);
		VMTAP_LOCK_WAIT(cap, 5, 6, &name);
#endif
	}
}
