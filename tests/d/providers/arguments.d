/*
 * args[] if the script defines the provider: the outputs after the ':', each made from the
 * argument of the same name: in another order, converted, or translated.
 * @options -q
 */
typedef struct label {
	string text;
	int length;
	uint64_t first;
} label_t;

translator label_t < char *T > {
	text = stringof(T);
	length = strlen(stringof(T));
	first = *T;
};

struct size {
	uint64_t kilobytes;
};

translator struct size < uint64_t B > {
	kilobytes = B / 1024;
};

provider vm {
	probe thread__label(uint16_t cap, uint32_t thread, char *name)
		: (label_t *name, uint32_t thread);
	probe gc__start(uint16_t cap, uint32_t generation, uint16_t full, uint64_t bytes_used)
		: (struct size bytes_used, uint8_t generation);
	probe user__msg(uint16_t cap, char *text) : (string text);
	probe gc__idle(uint16_t cap);
};

vm$target:::thread-label
{
	printf("%d: %s has %d, %d of them\n", args[1], args[0]->text, args[0]->length,
	    args[0]->first);
	this->label = *args[0]->text;
	labels[args[0]->text] = args[1];
	printf("%c %d\n", this->label, sizeof (args[1]));
}

vm$target:::gc-start
/args[0].kilobytes > 1/
{
	this->size = args[0];
	printf("%d kB, generation %d, in all %d\n", this->size.kilobytes, args[1], arg3);
}

vm$target:::user-msg
{
	printf("%s\n", strjoin(args[0], "!"));
}

vm$target:::gc-idle
{
	printf("%d\n", args[0]);
}
