/*
 * inline_frames.h: the functions that the compiler has put into others, by the DWARF debug
 * information of an ELF file (DWARF 5, sections 3.3.8 and 2.17; read by elfutils' libdw). A machine
 * stack has one frame for all of them; a picture shows each.
 *
 * A file's compilation units are listed at the first question, and a unit's functions are read when
 * an address in it is first asked for. Without libdw, no file has such frames.
 *
 * Not safe to use from several threads at once.
 */
#ifndef VMTAP_USDT_ELF_INLINE_FRAMES_H
#define VMTAP_USDT_ELF_INLINE_FRAMES_H

#include <stddef.h>
#include <stdint.h>

struct inline_frames;

/*
 * Returns the inline frames of a file, which may be closed afterwards; NULL if it has no debug
 * information, or memory runs out.
 */
struct inline_frames *inline_frames_open(int file);
void inline_frames_close(struct inline_frames *frames);

/*
 * Finds the inlined functions that an address, as the file states it, belongs to: at most `most`
 * names, the innermost first. Returns their number; the function that contains them all is not one
 * of them. The names live as long as frames. What is damaged has no inline frames.
 */
size_t inline_frames_find(
	struct inline_frames *frames, uint64_t address, const char **names, size_t most);

#endif
