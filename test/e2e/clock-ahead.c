// Preloaded into a process and what it starts, sets its clock ahead by CLOCK_AHEAD seconds; durations stay as they are.
// libfaketime does not get along with the runtime's allocator.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t ahead;

__attribute__((constructor)) static void read_ahead(void) {
  const char *seconds = getenv("CLOCK_AHEAD");
  if (seconds) ahead = atoll(seconds);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int problem = syscall(SYS_clock_gettime, clock, now);
  if (!problem && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead;
  return problem;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec precise;
  if (clock_gettime(CLOCK_REALTIME, &precise)) return -1;
  *now = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *now) {
  struct timespec precise = {0};
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now) *now = precise.tv_sec;
  return precise.tv_sec;
}
