/*
 * error.h: how a function of the command's modules reports why it failed.
 *
 * A function that can fail on a user's input takes a struct error * as its last argument,
 * returns a negative errno, and stores one line in the struct that names the thing (file,
 * probe, address, line) and the reason, without a trailing newline and without the program's
 * name. The command prints it; the library part never prints.
 */
#ifndef VMTAP_BASE_ERROR_H
#define VMTAP_BASE_ERROR_H

struct error {
	char text[1024];
};

/*
 * Fills error (which may be NULL) and returns -number, so that a caller can write "return
 * error_set(error, EINVAL, ...)". Text that does not fit is cut. What could steer a
 * terminal becomes '?' (clean_text.h), so that a hostile name cannot break the line.
 */
int error_set(struct error *error, int number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
