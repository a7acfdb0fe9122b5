/*
 * A library of its own whose constructor takes its CPU time: while it runs, the loading thread's stack
 * goes from here through ld.so, libc, libjvm and libjava, all of it native code that a debugger
 * can unwind too. LAB_LOADING_MILLIS says how long; unset: it is over at once. It is over earlier when
 * the file LAB_LOADING_END is there.
 */
#include "lab.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void lab_loading_constructor(void);
uint64_t lab_loading_spin(int64_t millis);
uint64_t lab_loading_leaf(uint64_t x, long work);

LAB uint64_t lab_loading_leaf(uint64_t x, long work) { return lab_mix_many(x, work); }

LAB uint64_t lab_loading_spin(int64_t millis) {
  const char *over = getenv("LAB_LOADING_END");
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  int64_t end = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + millis;
  uint64_t x = 1;
  do {
    x = lab_loading_leaf(x, 1000000);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 < end &&
           (over == NULL || access(over, F_OK) != 0));
  return x;
}

__attribute__((constructor)) LAB void lab_loading_constructor(void) {
  const char *millis = getenv("LAB_LOADING_MILLIS");
  if (millis != NULL) {
    lab_loading_spin(atoll(millis));
  }
}
