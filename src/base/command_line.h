/*
 * command_line.h: a process's command line as one text. The kernel gives it as words that each end
 * with a NUL; here blanks separate them.
 */
#ifndef VMTAP_BASE_COMMAND_LINE_H
#define VMTAP_BASE_COMMAND_LINE_H

#include <stddef.h>
#include <stdint.h>

/* Joins the words that are in `length` bytes; what does not fit into `size` bytes is cut off. */
void command_line_join(char *text, size_t size, const char *words, size_t length);

/* Reads that of a process; 0: our own. "" if it has none or cannot be read. */
void command_line_read(char *text, size_t size, uint32_t pid);

#endif
