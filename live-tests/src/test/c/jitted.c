/*
 * Code that is made at run time, one function in each of four pages of no file, and how engines
 * tell of it: one is registered by GDB's JIT interface, one is for a perf map and one for a jitdump
 * file (both are written by the Java side), and of one nothing is said.
 */
#include <elf.h>
#include <fcntl.h>
#include <jni.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define FUNCTIONS 4

/* GDB manual, "JIT Compilation Interface". */
struct jit_code_entry {
  struct jit_code_entry *next_entry;
  struct jit_code_entry *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};

struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;
  struct jit_code_entry *relevant_entry;
  struct jit_code_entry *first_entry;
};

/* As in many libraries, .symtab alone has it. */
__attribute__((visibility("hidden"))) struct jit_descriptor __jit_debug_descriptor = {1, 0, NULL,
                                                                                     NULL};

typedef long function(long);

static unsigned char *code;

/* An object with one symbol. */
static struct {
  Elf64_Ehdr header;
  Elf64_Shdr sections[4];
  Elf64_Sym symbols[2];
  char names[16];
  char section_names[32];
} object;

static void register_object(uint64_t start, uint64_t size) {
  static struct jit_code_entry entry;
  memcpy(object.header.e_ident, ELFMAG "\2\1\1", 7);
  object.header.e_type = ET_EXEC;
  object.header.e_machine = EM_X86_64;
  object.header.e_version = 1;
  object.header.e_ehsize = sizeof object.header;
  object.header.e_shentsize = sizeof object.sections[0];
  object.header.e_shoff = (uint64_t)((char *)object.sections - (char *)&object);
  object.header.e_shnum = 4;
  object.header.e_shstrndx = 3;
  strcpy(object.names + 1, "by_gdb");
  memcpy(object.section_names, "\0.text\0.symtab\0.strtab", 23);
  object.sections[1] = (Elf64_Shdr){.sh_name = 1,
                                    .sh_type = SHT_NOBITS,
                                    .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                    .sh_addr = start,
                                    .sh_size = size};
  object.sections[2] = (Elf64_Shdr){.sh_name = 7,
                                    .sh_type = SHT_SYMTAB,
                                    .sh_offset = (uint64_t)((char *)object.symbols - (char *)&object),
                                    .sh_size = sizeof object.symbols,
                                    .sh_link = 3,
                                    .sh_info = 1,
                                    .sh_entsize = sizeof object.symbols[0]};
  object.sections[3] = (Elf64_Shdr){.sh_name = 15,
                                    .sh_type = SHT_STRTAB,
                                    .sh_offset = (uint64_t)(object.names - (char *)&object),
                                    .sh_size = sizeof object.names + sizeof object.section_names};
  /* One section of strings for both: section names follow the symbols'. */
  for (int i = 1; i < 4; i++) {
    object.sections[i].sh_name += sizeof object.names;
  }
  object.symbols[1] = (Elf64_Sym){.st_name = 1,
                                  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                  .st_shndx = 1,
                                  .st_value = start,
                                  .st_size = size};
  entry.symfile_addr = (char *)&object;
  entry.symfile_size = sizeof object;
  entry.next_entry = __jit_debug_descriptor.first_entry;
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_descriptor.first_entry = &entry;
  __jit_debug_descriptor.action_flag = 1;
}

/* Makes the functions, each at the begin of a page; the address of the first. */
JNIEXPORT jlong JNICALL Java_stackweave_live_tableless_JittedApp_make(JNIEnv *env, jclass self) {
  (void)env;
  (void)self;
  /* mov %rdi,%rax; 1: dec %rax; jnz 1b; ret */
  static const unsigned char spin[] = {0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3};
  code = mmap(NULL, FUNCTIONS * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) {
    abort();
  }
  for (int i = 0; i < FUNCTIONS; i++) {
    memcpy(code + i * PAGE, spin, sizeof spin);
  }
  if (mprotect(code, FUNCTIONS * PAGE, PROT_READ | PROT_EXEC) != 0) {
    abort();
  }
  register_object((uint64_t)code, sizeof spin);
  return (jlong)code;
}

/* Maps a jitdump file, which tells profilers where it is. */
JNIEXPORT void JNICALL Java_stackweave_live_tableless_JittedApp_map(JNIEnv *env, jclass self,
                                                               jstring file) {
  (void)self;
  const char *path = (*env)->GetStringUTFChars(env, file, NULL);
  int fd = open(path, O_RDONLY);
  if (fd < 0 || mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED) {
    abort();
  }
  close(fd);
  (*env)->ReleaseStringUTFChars(env, file, path);
}

/* Runs one of the functions. */
JNIEXPORT jlong JNICALL Java_stackweave_live_tableless_JittedApp_run(JNIEnv *env, jclass self, jint which,
                                                                jlong rounds) {
  (void)env;
  (void)self;
  return ((function *)(code + which * PAGE))(rounds) + 1;
}
