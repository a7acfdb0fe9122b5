package stackweave.tableless.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.tableless.code.Processor;

/** Code as GCC makes it, disassembled by objdump. */
class PrologueTest {
  @ParameterizedTest
  @CsvSource({
    // push %rbp; mov %rsp,%rbp; push %r15; push %r14; push %rbx; sub $0x18,%rsp; call
    "'55 48 89 e5 41 57 41 56 53 48 83 ec 18 e8 00 00 00 00', 48",
    // endbr64; push %rbp; mov %rsp,%rbp; push %r12; mov %rdi,%r12; sub $0x1008,%rsp; call
    "'f3 0f 1e fa 55 48 89 e5 41 54 49 89 fc 48 81 ec 08 10 00 00 e8 00 00 00 00', 4112",
    // push %rbp; mov %rsp,%rbp (the other encoding); sub $0x10,%rsp; test %edi,%edi; je
    "'55 48 8b ec 48 83 ec 10 85 ff 74 05', 16",
    // push %rbp; mov %rsp,%rbp; call
    "'55 48 89 e5 e8 00 00 00 00', 0",
    // sub $0x18,%rsp; call: no frame pointer
    "'48 83 ec 18 e8 00 00 00 00', -1",
    // push %rbp; push %rbx; sub $8,%rsp; mov %rdi,%rbp; call: rbp is something else
    "'55 53 48 83 ec 08 48 89 fd e8 00 00 00 00', -1",
    // push %rbp; mov %rsp,%rbp; and $-32,%rsp; call
    "'55 48 89 e5 48 83 e4 e0 e8 00 00 00 00', -1",
    // push %rbp; mov %rsp,%rbp; sub %rax,%rsp; call
    "'55 48 89 e5 48 29 c4 e8 00 00 00 00', -1",
    // push %rbp; mov %rsp,%rbp; push %rbx; pop %rbx; call
    "'55 48 89 e5 53 5b e8 00 00 00 00', -1",
    // push %rbp; mov %rsp,%rbp; lea -0x10000(%rsp),%r11; 1: sub $0x1000,%rsp; orq $0,(%rsp);
    // cmp %r11,%rsp; jne 1b; sub $0x10,%rsp; call: -fstack-clash-protection
    "'55 48 89 e5 4c 8d 9c 24 00 00 ff ff 48 81 ec 00 10 00 00 48 83 0c 24 00"
        + " 4c 39 dc 75 ef 48 83 ec 10 e8 00 00 00 00', -1",
    // the same without what is reserved behind the loop
    "'55 48 89 e5 4c 8d 9c 24 00 00 ff ff 48 81 ec 00 10 00 00 48 83 0c 24 00"
        + " 4c 39 dc 75 ef e8 00 00 00 00', -1",
    // push %rbp; mov %rsp,%rbp; test %edi,%edi; je; sub $0x10,%rsp; call
    "'55 48 89 e5 85 ff 74 09 48 83 ec 10 e8 00 00 00 00', -1",
    // push %rbp; mov %rsp,%rbp; sub $0x10,%rsp; call; sub %rax,%rsp; call: alloca
    "'55 48 89 e5 48 83 ec 10 e8 00 00 00 00 48 29 c4 e8 00 00 00 00', -1",
    // test %edi,%edi; je; push %rbp; mov %rsp,%rbp; call
    "'85 ff 74 09 55 48 89 e5 e8 00 00 00 00', -1",
    // push %rbp; mov %rsp,%rbp; push %rbx; sub $8,%rsp; test %edi,%edi; je; add $8,%rsp; pop %rbx;
    // pop %rbp; ret; call: returns early
    "'55 48 89 e5 53 48 83 ec 08 85 ff 74 07 48 83 c4 08 5b 5d c3 e8 00 00 00 00', 16",
    // push %rbp; mov %rsp,%rbp; push %r12; push %rbx; test %edi,%edi; je; lea -0x10(%rbp),%rsp;
    // pop %rbx; pop %r12; pop %rbp; ret; call
    "'55 48 89 e5 41 54 53 85 ff 74 09 48 8d 65 f0 5b 41 5c 5d c3 e8 00 00 00 00', 16",
    // push %rbp; mov %rsp,%rbp; sub $0x10,%rsp; test %edi,%edi; je; leave; ret; call
    "'55 48 89 e5 48 83 ec 10 85 ff 74 02 c9 c3 e8 00 00 00 00', 16",
    // push %rbp; mov %rsp,%rbp; sub $0x10,%rsp; 1: call; jmp 1b
    "'55 48 89 e5 48 83 ec 10 e8 00 00 00 00 eb f9', 16",
  })
  void whatAFunctionPutsOnItsStack(String code, int below) {
    byte[] bytes = HexFormat.ofDelimiter(" ").parseHex(code);
    assertEquals(
        below == -1 ? Processor.UNKNOWN : below, Prologue.bytesBelowFp(bytes, bytes.length));
  }
}
