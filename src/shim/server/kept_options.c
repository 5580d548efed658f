/*
 * kept_options.c: see kept_options.h. Everything that the options point to is copied too: the VM
 * may free its own as soon as vmtap_start() returns.
 */
#include "shim/server/kept_options.h"

#include <stdlib.h>
#include <string.h>

/* Copies a list of texts, NULL-terminated. */
static char **copy_texts(char *const *texts, int count)
{
	char **copies = calloc((size_t)count + 1, sizeof(*copies));

	for (int i = 0; copies && i < count; i++) {
		copies[i] = strdup(texts[i]);
		if (copies[i])
			continue;
		while (i-- > 0)
			free(copies[i]);
		free(copies);
		copies = NULL;
	}
	return copies;
}

struct vmtap_options *kept_options_new(const struct vmtap_options *given)
{
	struct vmtap_options *options = calloc(1, sizeof(*options));
	struct vmtap_options own;

	if (!options)
		return NULL;
	memcpy(options, given, given->size < sizeof(*options) ? given->size : sizeof(*options));
	options->size = sizeof(*options);
	own = *options;
	if (own.argument_count <= 0)
		own.arguments = NULL;
	options->runtime = own.runtime ? strdup(own.runtime) : NULL;
	options->socket = own.socket ? strdup(own.socket) : NULL;
	options->arguments = own.arguments ? copy_texts(own.arguments, own.argument_count) : NULL;
	if ((own.runtime && !options->runtime) || (own.socket && !options->socket) ||
		(own.arguments && !options->arguments)) {
		kept_options_free(options);
		return NULL;
	}
	return options;
}

void kept_options_free(struct vmtap_options *options)
{
	if (!options)
		return;
	for (char *const *argument = options->arguments; argument && *argument; argument++)
		free(*argument);
	free((void *)options->arguments);
	free((char *)options->runtime);
	free((char *)options->socket);
	free(options);
}
