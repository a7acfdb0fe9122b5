/*
 * A process that is a JVM by its mappings, and lies. Compiled twice: as libjvm.so, with -DLIBRARY and
 * the tables of a real libjvm in tables.h; and as the program that loads it. Arguments of the
 * program: libjvm.so, how it lies, and a directory for its files.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef LIBRARY

struct field { const char *type, *name, *value; int is_static; uint64_t offset; void *address; };
struct type { const char *name, *super; int oop, integer, is_unsigned; uint64_t size; };
struct int_constant { const char *name; int value; };
struct long_constant { const char *name; uint64_t value; };

#define STATICS 4096
static uint64_t statics[STATICS];

#include "tables.h"

struct field *gHotSpotVMStructs = fields;
uint64_t gHotSpotVMStructEntryTypeNameOffset = 0, gHotSpotVMStructEntryFieldNameOffset = 8,
    gHotSpotVMStructEntryTypeStringOffset = 16, gHotSpotVMStructEntryIsStaticOffset = 24,
    gHotSpotVMStructEntryOffsetOffset = 32, gHotSpotVMStructEntryAddressOffset = 40,
    gHotSpotVMStructEntryArrayStride = sizeof(struct field);
struct type *gHotSpotVMTypes = types;
uint64_t gHotSpotVMTypeEntryTypeNameOffset = 0, gHotSpotVMTypeEntrySizeOffset = 32,
    gHotSpotVMTypeEntryArrayStride = sizeof(struct type);
struct int_constant *gHotSpotVMIntConstants = int_constants;
uint64_t gHotSpotVMIntConstantEntryNameOffset = 0, gHotSpotVMIntConstantEntryValueOffset = 8,
    gHotSpotVMIntConstantEntryArrayStride = sizeof(struct int_constant);
struct long_constant *gHotSpotVMLongConstants = long_constants;
uint64_t gHotSpotVMLongConstantEntryNameOffset = 0, gHotSpotVMLongConstantEntryValueOffset = 8,
    gHotSpotVMLongConstantEntryArrayStride = sizeof(struct long_constant);

#define SIZE (1 << 21)

/* Each word leads to the first one; or all bytes are 1, which the map of a code heap follows. */
static uint64_t *itself;

static struct field *find(const char *type, const char *name) {
  for (struct field *f = fields; f->type; f++)
    if (!strcmp(f->type, type) && !strcmp(f->name, name)) return f;
  return 0;
}

static void put(char *object, const char *type, const char *name, uint64_t value) {
  struct field *f = find(type, name);
  if (f) memcpy(object + f->offset, &value, strstr(f->value, "int") && !strchr(f->value, '*') ? 4 : 8);
}

static void set(const char *type, const char *name, uint64_t value) {
  struct field *f = find(type, name);
  if (f) *(uint64_t *)f->address = value;
}

/* A map of 256 GiB of ones, by few pages. */
static char *ones(void) {
  size_t piece = 64 << 20, pieces = 4096;
  int fd = memfd_create("ones", 0);
  if (ftruncate(fd, piece)) return 0;
  char *all = mmap(0, piece * pieces, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  for (size_t i = 0; i < pieces; i++)
    if (mmap(all + i * piece, piece, i ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
      return 0;
  memset(all, 1, piece);
  return all;
}

void lie(const char *how) {
  itself = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < SIZE / 8; i++) itself[i] = (uint64_t)itself;
  for (int i = 0; i < STATICS; i++) statics[i] = (uint64_t)itself;
  set("Abstract_VM_Version", "_vm_major_version", VERSION);
  set("Abstract_VM_Version", "_s_internal_vm_info_string", (uint64_t) "VM (1) for linux-amd64 JRE (1)");
  if (!strcmp(how, "endless")) gHotSpotVMStructEntryArrayStride = 0;
  if (!strcmp(how, "escape"))
    set("Abstract_VM_Version", "_s_internal_vm_info_string", (uint64_t) " for \033[2J\033]0;owned\007-amd64 JRE ");
  if (strcmp(how, "space")) return;
  /* The code cache is the address space. */
  char *heap = (char *)itself + 65536, *array = heap + 4096, *threads = array + 4096;
  char *interpreter = threads + 4096;
  memset(heap, 0, 4 * 4096);
  set("AbstractInterpreter", "_code", (uint64_t)interpreter);
  set("CodeCache", "_low_bound", 4096);
  set("CodeCache", "_high_bound", 1ULL << 47);
  set("CodeCache", "_heaps", (uint64_t)array);
  put(array, "GrowableArrayBase", "_len", 1);
  put(array, "GrowableArray<int>", "_data", (uint64_t)(array + 2048));
  *(uint64_t *)(array + 2048) = (uint64_t)heap;
  struct field *memory = find("CodeHeap", "_memory"), *segmap = find("CodeHeap", "_segmap");
  char *map = ones();
  for (int i = 0; i < 2; i++) {
    char *space = heap + (i ? segmap : memory)->offset;
    put(space, "VirtualSpace", "_low", i ? (uint64_t)map : 4096);
    put(space, "VirtualSpace", "_low_boundary", i ? (uint64_t)map : 4096);
    put(space, "VirtualSpace", "_high", 1ULL << 47);
    put(space, "VirtualSpace", "_high_boundary", 1ULL << 47);
  }
  put(heap, "CodeHeap", "_log2_segment_size", 9);
  /* As many threads as may be, all of them the same one. */
  set("ThreadsSMRSupport", "_java_thread_list", (uint64_t)threads);
  put(threads, "ThreadsList", "_length", 1 << 16);
  put(threads, "ThreadsList", "_threads", (uint64_t)(itself + SIZE / 16));
}

#else

static volatile long spun;

__attribute__((noinline)) void burn(void) {
  for (long i = 0; i < 1000000; i++) spun += i;
}

static void *burner(void *arg) {
  prctl(PR_SET_NAME, "\033[2J\033]0;x\007\n\r\"<b>");
  for (;;) burn();
}

/* Executable mappings that come and go, 60,000 at a time, of files with long names. */
static void *mapper(void *arg) {
  char path[4096];
  int fds[3];
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/lib\033]0;\n%.*d.so", (char *)arg, 200, i);
    fds[i] = open(path, O_RDWR | O_CREAT, 0600);
    char bytes[8192] = "\177ELF\2\1\1";
    if (i == 1) {
      /* As many headers as there can be, farther out than the file reaches. */
      memset(bytes + 16, 0xff, 48);
      bytes[16] = 3, bytes[17] = 0, bytes[18] = 62, bytes[19] = 0;
    }
    if (write(fds[i], bytes, sizeof bytes) < 0) abort();
  }
  /* What the last one's path names is a FIFO by now. */
  unlink(path);
  mkfifo(path, 0600);
  size_t pages = 60000;
  for (int round = 0;; round++) {
    char *at = mmap(0, pages * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < pages; i++)
      mmap(at + i * 4096, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fds[(i + round) % 3], i & 1 ? 4096 : 0);
    if (ftruncate(fds[0], round & 1 ? 8192 : 0)) abort();
    usleep(100000);
    munmap(at, pages * 4096);
  }
}

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  ((void (*)(const char *))dlsym(library, "lie"))(argv[2]);
  pthread_t thread;
  pthread_create(&thread, 0, burner, 0);
  if (!strcmp(argv[2], "maps")) pthread_create(&thread, 0, mapper, argv[3]);
  puts("ready");
  fflush(stdout);
  pause();
}

#endif
