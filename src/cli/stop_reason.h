/* stop_reason.h: why a guest thread has stopped, in words. */
#ifndef VMTAP_CLI_STOP_REASON_H
#define VMTAP_CLI_STOP_REASON_H

#include <stdint.h>

/* Of thread-stop's status, in GHC's numbering: "finished", "blocked on a lock"; never NULL. */
const char *stop_reason_text(uint64_t status);

#endif
