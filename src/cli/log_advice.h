/*
 * log_advice.h: for verbs that take no recorded log: which command shows what a log has.
 */
#ifndef VMTAP_CLI_LOG_ADVICE_H
#define VMTAP_CLI_LOG_ADVICE_H

#include <stdbool.h>

/* Returns whether a file is a recorded log. */
bool log_advice_is_log(const char *name);

/* Says that a file is a recording, and which commands read it. The events are read until it is
 * known what there is. Returns the exit status. */
int log_advice_tell(const char *name);

#endif
