/*
 * The definition of a provider that the traced process has agrees with it.
 * @options -q
 */
provider vm {
	probe gc__request(uint16_t cap, uint16_t parallel);
	probe gc__idle(uint16_t cap);
};

vm*:::
{
	n++;
}

END
{
	printf("%d\n", n > 0);
}
