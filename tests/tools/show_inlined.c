/*
 * show_inlined.c: prints the inlined functions at addresses of an ELF file, as the file states
 * them: "FILE" as argument, an address in hexadecimal digits on each line of the input. For each,
 * a line has the names, the innermost first, separated by blanks.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "usdt/elf/inline_frames.h"

enum { NAMES_MAX = 64 };

int main(int count, char **words)
{
	const char *names[NAMES_MAX];
	struct inline_frames *frames;
	char line[64];
	int file = count == 2 ? open(words[1], O_RDONLY | O_CLOEXEC) : -1;

	if (file < 0)
		return 2;
	frames = inline_frames_open(file);
	close(file);
	if (!frames)
		return 3;
	while (fgets(line, sizeof(line), stdin)) {
		size_t found =
			inline_frames_find(frames, strtoull(line, NULL, 16), names, NAMES_MAX);

		for (size_t i = 0; i < found; i++)
			printf("%s%s", i ? " " : "", names[i]);
		putchar('\n');
	}
	inline_frames_close(frames);
	return 0;
}
