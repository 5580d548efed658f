/*
 * encode_own.c: the server's own events that need only their arguments. Each begins in a block
 * without a capability.
 */
#include <stdio.h>
#include <string.h>

#include "shim/stream/encode.h"
#include "shim/stream/encode_private.h"
#include "wire/wire_type.h"

bool encode_clock(struct encoder *encoder, const struct stamp_line *clock)
{
	if (!encode_begin_own(
		    encoder, WIRE_CLOCK, WIRE_SIZE_CLOCK, clock_monotonic() - clock->zero))
		return false;
	queue_put_u64(&encoder->queue, clock->zero);
	queue_put_u64(&encoder->queue, clock->zero_real);
	encode_block_end(encoder);
	return true;
}

bool encode_loss(struct encoder *encoder, uint16_t wire, uint64_t count, uint64_t since,
	uint8_t reasons, uint64_t time)
{
	if (!encode_begin_own(encoder, WIRE_LOSS, WIRE_SIZE_LOSS, time))
		return false;
	queue_put_u16(&encoder->queue, wire);
	queue_put_u64(&encoder->queue, count);
	queue_put_u64(&encoder->queue, since);
	queue_put_u8(&encoder->queue, reasons);
	return true;
}

bool encode_watermark(struct encoder *encoder, uint64_t time)
{
	if (!encode_begin_own(encoder, WIRE_WATERMARK, WIRE_SIZE_WATERMARK, time))
		return false;
	queue_put_u64(&encoder->queue, time);
	encode_block_end(encoder);
	return true;
}

bool encode_subscribed(struct encoder *encoder, uint32_t tag, uint8_t flags, uint64_t time)
{
	if (!encode_begin_own(encoder, WIRE_SUBSCRIBED, WIRE_SIZE_SUBSCRIBED, time))
		return false;
	queue_put_u32(&encoder->queue, tag);
	queue_put_u8(&encoder->queue, flags);
	encode_block_end(encoder);
	return true;
}

bool encode_sampled(struct encoder *encoder, uint8_t unit, bool by_timers, uint64_t time)
{
	if (!encode_begin_own(encoder, WIRE_SAMPLED, WIRE_SIZE_SAMPLED, time))
		return false;
	queue_put_u8(&encoder->queue, unit);
	queue_put_u8(&encoder->queue, by_timers);
	encode_block_end(encoder);
	return true;
}

static bool encode_text(
	struct encoder *encoder, uint16_t type, const char *text, size_t length, uint64_t time)
{
	if (!encode_begin_own(encoder, type, 2 + length, time))
		return false;
	queue_put_u16(&encoder->queue, (uint16_t)length);
	queue_put(&encoder->queue, text, length);
	encode_block_end(encoder);
	return true;
}

bool encode_message(struct encoder *encoder, const char *text, uint64_t time)
{
	return encode_text(encoder, WIRE_LOG_MSG, text, strlen(text), time);
}

bool encode_providers(struct encoder *encoder, uint32_t providers, uint64_t time)
{
	char text[32 * 64];
	size_t length = 0;

	for (unsigned i = 0; event_provider(i); i++)
		if (providers >> i & 1)
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%.63s",
				length ? " " : "", event_provider(i));
	encoder->providers = providers;
	return encode_text(encoder, WIRE_PROVIDERS, text, length, time);
}
