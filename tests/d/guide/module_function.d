/*
 * The parts of the description of a probe that fires.
 * @options -q
 */
vm$target:::startup
    { printf("%s\n%s\n", probeprov, probename)}
