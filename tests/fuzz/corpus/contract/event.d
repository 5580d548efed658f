typedef uint16_t Cap;
provider vm { probe gc__start(uint16_t cap, uint16_t full, uint64_t bytes, char *why); };
provider p {
	/*
	 * @bytes how many
	 * @event gc-start (bytes, cap) when not full
	 */
	probe part(unsigned long bytes, Cap cap);
	/* @event gc-start (why) when full */
	probe full(char *why);
};
