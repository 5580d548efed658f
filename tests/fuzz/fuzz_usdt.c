/*
 * fuzz_usdt.c: any bytes as an ELF image: read, and checked against a contract. Apart from not
 * crashing: an error leaves no image and one line, and every site has its strings.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "contract/contract.h"
#include "usdt/elf/contract_check.h"
#include "usdt/elf/image.h"

static const char definition[] =
	"provider vm { probe gc__start(uint16_t cap, uint32_t generation, long bytes);"
	"probe none(); probe missing(char *text); };";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct verify_report report = {0};
	struct contract *contract = NULL;
	struct usdt_image *image = NULL;
	struct error error = {""};
	size_t length = 0;
	int file = memfd_create("fuzz", MFD_CLOEXEC), result;

	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	result = usdt_image_read(file, "fuzz", &image, &error);
	close(file);
	if (result < 0) {
		if (image || !error.text[0] || strchr(error.text, '\n'))
			abort();
		return 0;
	}
	for (size_t i = 0; i < image->site_count; i++) {
		const struct usdt_site *site = &image->sites[i];

		length += strlen(site->provider) + strlen(site->name) + strlen(site->note_name) +
			strlen(site->arguments_text) + strlen(site->function);
		for (int j = 0; j < site->argument_count; j++)
			length += site->arguments[j].text_length;
	}
	if ((image->site_count == 0) != (image->absence != NULL) || length > 64 * size)
		abort();
	if (contract_parse("fuzz.d", definition, sizeof(definition) - 1, &contract, NULL) < 0 ||
		verify_image(contract, NULL, 0, image, &report) < 0)
		abort();
	verify_free(&report);
	contract_free(contract);
	usdt_image_free(image);
	return 0;
}
