/*
 * compress_log.c: compresses a log as `vmtap record --compress` does, so that a test can compare it
 * with the log itself.
 *     compress_log LOG OUTPUT BYTES    with a frame for each BYTES of the log
 * Exits with 77 if vmtap was built without libzstd.
 */
#include <stdio.h>
#include <stdlib.h>

#include "source/log_output.h"

int main(int count, char **arguments)
{
	size_t room = count == 4 ? strtoul(arguments[3], NULL, 10) : 0, got, done;
	unsigned char *bytes = room ? malloc(room) : NULL;
	FILE *log = bytes ? fopen(arguments[1], "rb") : NULL;
	struct log_output *output;
	uint64_t position = 0;
	struct error error;

	if (!log) {
		fprintf(stderr, "usage: compress_log LOG OUTPUT BYTES\n");
		return 2;
	}
	if (log_output_can_compress())
		return 77;
	if (log_output_open(arguments[2], LOG_OUTPUT_LEVEL, &output, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 3;
	}
	while ((got = fread(bytes, 1, room, log)) > 0) {
		position += got;
		if (log_output_write(output, bytes, got, &done) ||
			log_output_may_end(output, position) || log_output_flush(output))
			return 3;
	}
	fclose(log);
	free(bytes);
	return log_output_close(output) ? 3 : 0;
}
