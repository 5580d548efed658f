/*
 * Each description of a clause uses its own definition: args[0] is translated from other types.
 * @options -q
 */
struct shown {
	string text;
	int known;
};

translator struct shown < char *T > {
	text = stringof(T);
	known = 1;
};

translator struct shown < uint32_t N > {
	text = lltostr(N);
	known = 0;
};

provider vm {
	probe user__msg(uint16_t cap, char *text) : (struct shown text);
	probe thread__create(uint16_t cap, uint32_t thread, uint64_t os_thread)
		: (struct shown thread);
	probe thread__exit(uint16_t cap, uint32_t thread) : (struct shown thread);
};

vm$target:::thread-create,
vm$target:::user-msg,
vm$target:::thread-exit
/args[0].known || args[0].text != "9"/
{
	printf("%s: %s\n", probename, args[0].text);
	this->whole = args[0];
	printf("%d %s\n", this->whole.known, this->whole.text);
}
