/*
 * flame_folded.c: stacks as lines of text, which many tools read. A ';' in a name becomes ':',
 * control characters become '?', and bytes that are not UTF-8 U+FFFD, since the form has no
 * escapes. With a comparison each line has two numbers.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/clean_text.h"
#include "base/utf8.h"
#include "cli/flame/flame_writers.h"

static void print_name(const struct call_frame_name *name, FILE *output)
{
	for (uint32_t i = 0, size; i < name->length; i += size) {
		unsigned char c = (unsigned char)name->text[i];

		size = (uint32_t)utf8_bytes(name->text + i, name->length - i);
		if (!size) {
			fputs("\xef\xbf\xbd", output);
			size = 1;
		} else if (clean_text_is_harmful(name->text + i, size)) {
			putc_unlocked('?', output);
		} else if (c == ';') {
			putc_unlocked(':', output);
		} else {
			fwrite_unlocked(name->text + i, 1, size, output);
		}
	}
}

int flame_folded_write(const struct flame_view *view, FILE *output)
{
	uint32_t deepest = 0, depth;
	uint64_t *others = calloc(view->count, sizeof(*others));
	uint32_t *stack;

	for (size_t i = 0; i < view->count; i++)
		if (view->shown[i].depth > deepest)
			deepest = view->shown[i].depth;
	stack = calloc(deepest + 1u, sizeof(*stack));
	if (!others || !stack) {
		free(others);
		free(stack);
		return -ENOMEM;
	}
	/* what the other tree has spent in the frame itself */
	for (size_t i = view->count; i-- > 1;) {
		others[i] += view->shown[i].other_total;
		others[view->shown[i].parent] -= view->shown[i].other_total;
	}
	for (size_t i = 1; i < view->count; i++) {
		const struct call_shown *node = &view->shown[i];

		stack[node->depth] = node->name;
		if (!node->self && !(view->is_comparison && others[i]))
			continue;
		for (depth = 1; depth <= node->depth; depth++) {
			if (depth > 1)
				putc_unlocked(';', output);
			print_name(&view->tree->names[stack[depth]], output);
		}
		fprintf(output, " %" PRIu64, node->self);
		if (view->is_comparison)
			fprintf(output, " %" PRIu64, others[i]);
		putc_unlocked('\n', output);
	}
	free(others);
	free(stack);
	return ferror(output) ? -(errno ? errno : EIO) : 0;
}
