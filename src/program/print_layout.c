/* print_layout.c: see print_layout.h. */
#include "program/print_layout.h"

#include <stdlib.h>

void d_layout_free(struct d_layout *layout)
{
	free(layout->type);
	for (size_t i = 0; layout->parts && i < layout->count; i++)
		free(layout->parts[i].name);
	for (size_t i = 0; layout->names && i < layout->count; i++)
		free(layout->names[i].name);
	free(layout->parts);
	free(layout->names);
}
