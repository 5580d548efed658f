/*
 * method_text.h: how a method is written, in whatever the command prints: "Class#method";
 * "Class.method" for a method of the class itself, whose class is given as "Class.class", or as
 * "#<Class:Class>" by Ruby; "module.function" for a function of the Python file "module.py", or of
 * what Python calls "<frozen module>"; and the method alone if it has no class. Classes of the JVM
 * have dots, "java.lang.String".
 *
 * Bundled scripts write it alike (probes/scripts/parts/names.d).
 */
#ifndef VMTAP_BASE_METHOD_TEXT_H
#define VMTAP_BASE_METHOD_TEXT_H

#include <stddef.h>

struct method_part {
	const char *text; /* bytes of any kind; "" or "(none)" as the class: there is none */
	size_t length;
};

/* Writes it with a NUL, cut if the buffer is too small. Returns the length of what is written;
 * size is not 0. */
size_t method_text(char *to, size_t size, struct method_part class, struct method_part method);

#endif
