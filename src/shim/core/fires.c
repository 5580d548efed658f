/*
 * fires.c: the table of all fire functions of provider vm. Code that looks up a fire function by
 * number may call any of them, so this member of the archive brings all sites into an object.
 */
#include "shim/core/object.h"

vmtap_fire_function vmtap_fire(enum vmtap_probe probe)
{
	return (unsigned)probe < VMTAP_PROBES ? vmtap_fires[probe] : NULL;
}
