/*
 * embed.c: a build tool: writes D files (scripts, contracts) as a table in C.
 *     embed OUTPUT HEADER STRUCT FILE.d...
 * HEADER declares "const struct STRUCT STRUCTs[]", whose entries are a name, a text and its
 * length, and "const size_t STRUCT_count". Runs only on the build machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *file)
{
	fprintf(stderr, "embed: %s: %s\n", file, strerror(errno));
	return 1;
}

/* One string literal per line of the file; returns its length, -1 on errors. */
static long embed(FILE *output, const char *file)
{
	FILE *input = fopen(file, "rb");
	long length = 0;
	int c, before = '\n';

	if (!input)
		return -1;
	while ((c = getc(input)) != EOF) {
		if (before == '\n')
			fputs("\n\t\"", output);
		if (c == '\n')
			fputs("\\n\"", output);
		else if (c == '"' || c == '\\')
			fprintf(output, "\\%c", c);
		else if (c == '?')
			fputs("\\?", output); /* no trigraphs */
		else if (c >= 0x20 && c < 0x7f)
			putc(c, output);
		else
			fprintf(output, "\\%03o", c);
		before = c;
		length++;
	}
	if (!length)
		fputs("\"\"", output);
	else if (before != '\n')
		fputs("\"", output);
	if (ferror(input))
		length = -1;
	fclose(input);
	return length;
}

int main(int argc, char **argv)
{
	FILE *output;
	long length;

	if (argc < 4) {
		fprintf(stderr, "usage: embed OUTPUT HEADER STRUCT FILE.d...\n");
		return 2;
	}
	output = fopen(argv[1], "w");
	if (!output)
		return fail(argv[1]);
	fprintf(output,
		"/* Made by src/base/tools/embed.c. */\n"
		"#include \"%s\"\n\n"
		"const struct %s %ss[] = {",
		argv[2], argv[3], argv[3]);
	for (int i = 4; i < argc; i++) {
		const char *base = strrchr(argv[i], '/');
		size_t name;
		base = base ? base + 1 : argv[i];
		name = strlen(base);
		if (name > 2 && !strcmp(base + name - 2, ".d"))
			name -= 2;
		fprintf(output, "\n\t{ \"%.*s\",", (int)name, base);
		length = embed(output, argv[i]);
		if (length < 0)
			return fail(argv[i]);
		fprintf(output, ",\n\t%ld },", length);
	}
	if (argc == 4)
		fprintf(output, " { 0 } "); /* C has no empty arrays */
	fprintf(output, "\n};\n\nconst size_t %s_count = %d;\n", argv[3], argc - 4);
	return fclose(output) ? fail(argv[1]) : 0;
}
