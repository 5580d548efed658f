/*
 * test_point.h: marks a place where a process may be killed in the middle of something. In the
 * build of the survival rig (tests/survive), each place ends the process once; in every other
 * build the macro is nothing. A name says what has just been done: "part: what".
 */
#ifndef BASE_TEST_POINT_H
#define BASE_TEST_POINT_H

#ifdef VMTAP_TEST_POINTS
void vmtap_test_point(const char *name);
#define TEST_POINT(name) vmtap_test_point(name)
#else
#define TEST_POINT(name) ((void)0)
#endif

#endif
