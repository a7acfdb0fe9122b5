/* To be preloaded: clocks are FAKED_SECONDS ahead, CPU clocks too, as with libfaketime; those that
   go on run FAKED_RATE times as fast, from the start of the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BILLION 1000000000LL

static long long first, ahead, rate = 1;
static int (*wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);

static long long kernels(clockid_t clock)
{
    struct timespec t;
    syscall(SYS_clock_gettime, clock, &t);
    return t.tv_sec * BILLION + t.tv_nsec;
}

__attribute__((constructor)) static void begin(void)
{
    const char *seconds = getenv("FAKED_SECONDS"), *times = getenv("FAKED_RATE");
    ahead = seconds ? atoll(seconds) * BILLION : 0;
    rate = times ? atoll(times) : 1;
    wait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    first = kernels(CLOCK_MONOTONIC);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    if (syscall(SYS_clock_gettime, clock, t)) {
        return -1;
    }
    long long more = ahead + (clock < 0 ? 0 : (rate - 1) * (kernels(CLOCK_MONOTONIC) - first));
    long long now = t->tv_sec * BILLION + t->tv_nsec + more;
    t->tv_sec = now / BILLION;
    t->tv_nsec = now % BILLION;
    return 0;
}

/* HotSpot's waits have times of the monotonic clock. */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *end)
{
    long long rest = end->tv_sec * BILLION + end->tv_nsec - ahead - first;
    long long at = first + rest / rate;
    struct timespec t = {at / BILLION, at % BILLION};
    return wait(condition, mutex, &t);
}
