/*
 * encode_types.h: describes the types of events to a client. Types that exist when its stream
 * begins are in the stream's header; a type that is added later is described by an event
 * (WIRE_DECLARE) before its first one. Only the encode_ files include it.
 */
#ifndef VMTAP_SHIM_STREAM_ENCODE_TYPES_H
#define VMTAP_SHIM_STREAM_ENCODE_TYPES_H

#include "shim/stream/encode.h"

/* Writes the header, which describes the types below encoder->known_types. */
void encode_put_header(struct encoder *encoder, const struct process *process);

/* Returns the most bytes that the header needs. */
size_t encode_header_bytes(const struct encoder *encoder, uint32_t providers);

/* Returns true if the header declares this type of GHC's events. */
static inline bool encode_is_ghc_declared(const struct encoder *encoder, uint16_t type)
{
	return wire_is_ghc(type) && encoder->ghc_declared[type / 8] >> type % 8 & 1;
}

/* Returns true if the type has been added after the header. */
static inline bool encode_is_late(const struct encoder *encoder, const struct event_type *type)
{
	return type->number >= encoder->known_types;
}

/* Returns true if the type has yet to be described to the client. */
static inline bool encode_must_declare(const struct encoder *encoder, const struct event_type *type)
{
	return encode_is_late(encoder, type) && !encoder->ghc_only &&
		!(encoder->declared[type->number / 8] >> type->number % 8 & 1);
}

/* Returns the bytes that describe a late type to the client, and with it its provider. */
size_t encode_declaration_bytes(const struct encoder *encoder, const struct event_type *type);

/* Writes that description. Call only while a block is open, and if it must be described. */
void encode_put_declaration(struct encoder *encoder, const struct event_type *type, uint64_t time);

#endif
