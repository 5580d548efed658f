/*
 * bar.c: see bar.h. Without option encoding, bars are ASCII and packed bars UTF-8, as in DTrace on
 * a modern terminal.
 */
#include "engine/output/bar.h"

enum {
	BAR_WIDTH = 40,
	BLOCK_PARTS = 8,
	BLOCK_FULL = 0x88,  /* third UTF-8 byte of U+2588; U+2589 on are 7/8 ... 1/8 wide */
	BLOCK_LOWEST = 0x81 /* U+2581 ... U+2588 are 1/8 ... 8/8 high */
};

struct bar_scale bar_scale(const struct d_options *options)
{
	return (struct bar_scale){.zoom = options->aggzoom, .encoding = options->encoding};
}

static long double size_of(int64_t count)
{
	return count < 0 ? -(long double)count : (long double)count;
}

void bar_scale_add(struct bar_scale *scale, int64_t count)
{
	long double size = size_of(count);

	scale->positives |= count > 0;
	scale->negatives |= count < 0;
	if (!scale->zoom)
		scale->total += size;
	else if (size / 0.95L > scale->total)
		scale->total = size / 0.95L;
}

static void print_run(char c, int count, FILE *output)
{
	while (count-- > 0)
		putc_unlocked(c, output);
}

/* The part of a width that a count takes. */
static long double share(const struct bar_scale *scale, int64_t count, int width)
{
	return scale->total > 0 ? size_of(count) * width / scale->total : 0;
}

static void print_block(unsigned last_byte, FILE *output)
{
	putc_unlocked(0xe2, output);
	putc_unlocked(0x96, output);
	putc_unlocked((int)last_byte, output);
}

static void print_blocks(const struct bar_scale *scale, int64_t count, FILE *output)
{
	long double length = share(scale, count, BAR_WIDTH);
	int whole = (int)length, part = (int)((length - whole) * BLOCK_PARTS);

	putc_unlocked('|', output);
	for (int i = 0; i < whole; i++)
		print_block(BLOCK_FULL, output);
	if (part)
		print_block((unsigned)(BLOCK_FULL + BLOCK_PARTS - part), output);
	print_run(' ', BAR_WIDTH - whole - (part != 0), output);
}

void bar_print(const struct bar_scale *scale, int64_t count, FILE *output)
{
	int width = scale->positives && scale->negatives ? BAR_WIDTH / 2 : BAR_WIDTH;
	int length = (int)(share(scale, count, width) + 0.5L);

	if (!scale->negatives) {
		if (scale->positives && scale->encoding == D_ENCODING_UTF8) {
			print_blocks(scale, count, output);
			return;
		}
		putc_unlocked('|', output);
		print_run('@', length, output);
		print_run(' ', width - length, output);
	} else if (!scale->positives || count <= 0) {
		print_run(' ', width - length, output);
		print_run('@', length, output);
		putc_unlocked('|', output);
		if (scale->positives)
			print_run(' ', width, output);
	} else {
		print_run(' ', width, output);
		putc_unlocked('|', output);
		print_run('@', length, output);
		print_run(' ', width - length, output);
	}
}

void bar_print_packed(const struct bar_scale *scale, int64_t count, FILE *output)
{
	static const char ascii[] = "__xxxxXX", negative[] = "vvvvVV";

	if (!count)
		putc_unlocked(' ', output);
	else if (count < 0)
		putc_unlocked(
			negative[(int)(share(scale, count, sizeof(negative) - 2) + 0.5L)], output);
	else if (scale->encoding == D_ENCODING_ASCII)
		putc_unlocked(ascii[(int)(share(scale, count, sizeof(ascii) - 2) + 0.5L)], output);
	else
		print_block(BLOCK_LOWEST + (unsigned)(share(scale, count, BLOCK_PARTS - 1) + 0.5L),
			output);
}

void bar_print_heading(const char *rows, int width, FILE *output)
{
	fprintf(output, "\n%*s %41s %-9s\n", width, rows,
		"------------- Distribution -------------", "count");
}
