package stackweave.jfr.export.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;

class TemplateFoldingTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "malloc | malloc",
        "std::vector<int, std::allocator<int>>::push_back | std::vector<...>::push_back",
        "std::map<A<(B > 1)>, C<D->*E>>::find<F> | std::map<...>::find<...>",
        "f<void (*)(int), int[3]>::g | f<...>::g",
        "operator< | operator<",
        "ns::operator<< <char, std::char_traits<char>> | ns::operator<< <...>",
        "ns::operator<<<char> | ns::operator<<<...>",
        "S<int>::operator<=> | S<...>::operator<=>",
        "S<&T::operator<>::run | S<...>::run",
        "S<&T::operator< >::run | S<...>::run",
        "S<&T::operator->>::run | S<...>::run",
        "S<int>::operator()<long> | S<...>::operator()<...>",
        "f<int>[abi:cxx11] | f<...>[abi:cxx11]",
        "f[abi:cxx11]<int> | f[abi:cxx11]<...>",
        "a::{lambda(b<int>)#1}::operator() | a::{lambda(b<...>)#1}::operator()",
        "<alloc::vec::Vec<T> as core::ops::Drop>::drop | <alloc::vec::Vec<...> as core::ops::Drop>::drop",
        "core::ptr::drop_in_place::<alloc::vec::Vec<u8>> | core::ptr::drop_in_place::<...>",
        "alloc::slice::<impl [T]>::sort | alloc::slice::<impl [T]>::sort",
        "unclosed<int | unclosed<int",
      })
  void argumentsAreFolded(String name, String expected) {
    assertEquals(expected, TemplateFolding.fold(name));
  }

  @Test
  void instancesAreOneFunctionAndKeepTheirAddresses() {
    TemplateFolding folding = new TemplateFolding(SampledFrame.Change.NONE);
    SampledFrame one = folded(folding, frame("native", "f<int>", 0x100));
    SampledFrame other = folded(folding, frame("native", "f<long>", 0x200));
    assertSame(one.method(), other.method());
    assertEquals("f<...>", one.method().name());
    assertEquals(0x105, one.method().start() + one.offset());
    assertEquals(0x205, other.method().start() + other.offset());
    SampledFrame java = frame("C2", "<init>", 0);
    assertSame(java, folded(folding, java));
    assertNotSame(one.method(), folded(folding, frame("native", "g<long>", 0x300)).method());
  }

  private static SampledFrame folded(TemplateFolding folding, SampledFrame frame) {
    List<SampledFrame> frames = folding.of(frame, true);
    assertEquals(1, frames.size());
    return frames.get(0);
  }

  private static SampledFrame frame(String kind, String name, long start) {
    return new SampledFrame(new SampledMethod(null, "", name, "", 0, "", start), kind, 0, 5);
  }
}
