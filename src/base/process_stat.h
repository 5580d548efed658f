/*
 * process_stat.h: what /proc/PID/stat and status say of a process or thread.
 */
#ifndef VMTAP_BASE_PROCESS_STAT_H
#define VMTAP_BASE_PROCESS_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROCESS_STAT_BYTES = 1024 };

/* Reads the file into text. Returns where the fields after the name begin: " S PPID ...". The name
 * may contain any characters, also parentheses and newlines. Returns NULL if there is no such
 * process, or the file cannot be read. */
const char *process_stat_read(uint32_t pid, char text[PROCESS_STAT_BYTES]);

/*
 * Finds a line of /proc/PID/status by its name, such as "TracerPid", and copies what follows the
 * tab, without the newline and cut to the buffer. Returns false if there is no such process or
 * line.
 */
bool process_status_value(uint32_t pid, const char *name, char *value, size_t size);

#endif
