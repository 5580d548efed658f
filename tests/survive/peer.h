/*
 * peer.h: takes the bytes that a simulated client receives apart, and checks what the format
 * promises while it does so: sizes of blocks, times that are not below a watermark and do not run
 * backwards, names that are defined before they are used. It knows the format only from wire.h.
 */
#ifndef TESTS_SURVIVE_PEER_H
#define TESTS_SURVIVE_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PEER_TYPES = 640, PEER_NAMES = 8192, PEER_BYTES = 72 << 10, PEER_EVENTS_MAX = 8 };

struct peer_type {
	bool declared, is_spare;
	uint8_t event; /* 1 + index of the event; 0: none */
	uint16_t size;
};

struct peer {
	unsigned index;          /* for whoever uses it */
	bool header_done, ended; /* ended: by the end marker */
	unsigned char bytes[PEER_BYTES];
	size_t length;
	uint64_t taken;     /* bytes that were taken apart before those in bytes */
	uint64_t block_end; /* position; 0: no block is open */
	uint64_t block_time, run_time, watermark, zero;
	uint64_t thread; /* of the events that follow in this block; 0: not said */
	uint32_t tag;    /* of the last answer */
	uint8_t flags;
	unsigned answers, messages;
	bool told_hurried; /* delivery is no longer lossless */
	uint64_t lost[PEER_EVENTS_MAX];
	uint64_t unknown_lost;      /* of types that the header does not declare */
	uint16_t names[PEER_NAMES]; /* as peer_methods.name() has returned; 0: not defined */
	struct peer_type types[PEER_TYPES];
};

struct peer_methods {
	/* Which event a declaration's text is about: 1 + its index, or 0. */
	unsigned (*event)(const char *text, size_t length);
	/* A name's text: a number that is not 0. */
	uint16_t (*name)(const char *text, size_t length);
	void (*take)(struct peer *peer, unsigned event, uint64_t time, const unsigned char *payload,
		size_t length);
	void (*answer)(struct peer *peer);
};

extern const struct peer_methods peer_methods;

void peer_begin(struct peer *peer);

/* Where to put received bytes, and how many fit. */
unsigned char *peer_room(struct peer *peer, size_t *room);

/* So many have been put there. */
void peer_take(struct peer *peer, size_t length);

uint64_t peer_number(const unsigned char *at, unsigned bytes);

#endif
