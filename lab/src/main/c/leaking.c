/*
 * Ways to take native memory and keep it, for LeakingService, each in a function of its own; and
 * others beside them that give all back. Each returns the bytes that it touched and kept.
 */
#define _GNU_SOURCE
#include <jni.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NOINLINE __attribute__((noinline, noipa))

#define LEN(array) (long)(sizeof(array) / sizeof((array)[0]))

/* Keeps the compiler from making the call before it a jump. */
#define AFTER_CALL() __asm__ volatile("" ::: "memory")

#define HUGE (2L << 20)

static __thread uint64_t seed = 88172645463325252ULL;

static uint64_t next(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  return seed ^= seed << 17;
}

/* 100 bytes to 64 KiB, small ones as often as large ones. */
static size_t size(void) {
  uint64_t random = next();
  size_t most = (size_t)128 << random % 10;
  return most * 100 / 128 + (random >> 20) % (most * 28 / 128);
}

NOINLINE static void *keep(size_t bytes) {
  void *block = malloc(bytes);
  memset(block, 1, bytes);
  AFTER_CALL();
  return block;
}

NOINLINE static long leak_malloc(long bytes) {
  long kept = 0;
  while (kept < bytes) {
    kept += (long)malloc_usable_size(keep(size())) + 8;
  }
  AFTER_CALL();
  return kept;
}

/* Blocks that others take and give back soon, of the same sizes and in the same arena. */
static __thread void *recent[64];

NOINLINE static long churn_malloc(long bytes) {
  for (long taken = 0; taken < bytes;) {
    size_t each = size();
    long slot = next() % LEN(recent);
    free(recent[slot]);
    recent[slot] = malloc(each);
    memset(recent[slot], 2, each);
    taken += (long)each;
  }
  AFTER_CALL();
  return 0;
}

NOINLINE static void *leak_noisy_block(size_t bytes) {
  void *block = malloc(bytes);
  memset(block, 1, bytes);
  AFTER_CALL();
  return block;
}

/* A leak among 20 times as much that is given back. */
NOINLINE static long leak_noisy(long bytes) {
  long kept = 0;
  while (kept < bytes) {
    size_t each = size();
    kept += (long)malloc_usable_size(leak_noisy_block(each)) + 8;
    churn_malloc(20 * (long)each);
  }
  AFTER_CALL();
  return kept;
}

NOINLINE static long leak_mmap(long bytes) {
  char *pages =
      mmap(0, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(pages, 1, (size_t)bytes);
  AFTER_CALL();
  return bytes;
}

NOINLINE static long churn_mmap(long bytes) {
  bytes *= 20;
  char *pages =
      mmap(0, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(pages, 1, (size_t)bytes);
  munmap(pages, (size_t)bytes);
  AFTER_CALL();
  return 0;
}

/* Of four times as much only the fourth part is touched. */
NOINLINE static long leak_calloc(long bytes) {
  char *block = calloc(4, (size_t)bytes);
  memset(block, 1, (size_t)bytes);
  AFTER_CALL();
  return bytes;
}

/* One block that grows, by mremap, and moves when another mapping is in its way. */
NOINLINE static long leak_realloc(long bytes) {
  static char *block;
  static size_t now;
  block = realloc(block, now + (size_t)bytes);
  memset(block + now, 1, (size_t)bytes);
  now += (size_t)bytes;
  AFTER_CALL();
  return bytes;
}

/* Memory for which huge pages are asked. */
NOINLINE static long leak_huge(long bytes) {
  static char *at;
  static long left;
  static long untouched;
  long touched = 0;
  for (untouched += bytes; untouched >= HUGE; untouched -= HUGE) {
    if (left == 0) {
      left = 16 * HUGE;
      char *pages = mmap(0, (size_t)(left + HUGE), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      at = (char *)(((uintptr_t)pages + HUGE - 1) & ~(uintptr_t)(HUGE - 1));
      madvise(at, (size_t)left, MADV_HUGEPAGE);
    }
    memset(at, 1, HUGE);
    at += HUGE;
    left -= HUGE;
    touched += HUGE;
  }
  AFTER_CALL();
  return touched;
}

/* Every ten seconds' share at once. */
NOINLINE static long leak_bursts(long bytes) {
  static long saved;
  saved += bytes;
  if (saved < 10 << 20) {
    return 0;
  }
  long kept = 0;
  while (kept < saved) {
    kept += (long)malloc_usable_size(keep(16384)) + 8;
  }
  saved = 0;
  AFTER_CALL();
  return kept;
}

static long (*const ways[])(long) = {leak_malloc, leak_noisy,  leak_mmap,    leak_calloc,
                                     leak_realloc, leak_huge,  leak_bursts,  churn_malloc,
                                     churn_mmap};

JNIEXPORT jlong JNICALL Java_stackweave_lab_memory_LeakingService_take(JNIEnv *env, jclass class,
                                                                          jint way, jlong bytes) {
  (void)env;
  (void)class;
  long kept = way < LEN(ways) ? ways[way](bytes) : 0;
  AFTER_CALL();
  return kept;
}
