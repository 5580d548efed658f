/*
 * Definitions alone match no probe.
 * @status 1
 */
inline int unused = 1;
