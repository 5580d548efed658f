/*
 * extension.c: an object that a VM loads and that has the probes itself: fires gc-idle with
 * the given capability. Its symbols are hidden, except those that the host looks up.
 */
#include "vmtap.h"

__attribute__((visibility("default"))) void extension_fire(uint16_t cap, unsigned count);
__attribute__((visibility("default"))) void extension_work(uint16_t cap);
__attribute__((visibility("default"))) const uint32_t *extension_guard(void);

void extension_fire(uint16_t cap, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		VMTAP_GC_IDLE(cap);
}

void extension_work(uint16_t cap)
{
	VMTAP_GC_WORK(cap);
}

const uint32_t *extension_guard(void)
{
	return vmtap_guard(VMTAP_PROBE_GC_IDLE);
}
