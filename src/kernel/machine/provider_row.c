/* provider_row.c: see provider_row.h. */
#include "kernel/machine/provider_row.h"

#include <string.h>

#include "base/pattern.h"

bool kernel_provider_is_asked(const struct d_asked *asked, const char *provider)
{
	return strspn(asked->provider, "*") < strlen(asked->provider) &&
		pattern_match(asked->provider, provider);
}
