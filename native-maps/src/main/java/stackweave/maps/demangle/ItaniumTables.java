package stackweave.maps.demangle;

import java.util.HashMap;
import java.util.Map;

/** The codes of the Itanium C++ ABI, sections 5.1.2 to 5.1.6, with what they are written as. */
final class ItaniumTables {
  /** Builtin types by letter. */
  static final Map<String, String> BUILTIN =
      table(
          "v void; w wchar_t; b bool; c char; a signed char; h unsigned char; s short; "
              + "t unsigned short; i int; j unsigned int; l long; m unsigned long; x long long; "
              + "y unsigned long long; n __int128; o unsigned __int128; f float; d double; "
              + "e long double; g __float128; z ...");

  /** Builtin types of two letters, the first being D. */
  static final Map<String, String> BUILTIN_D =
      table(
          "d decimal64; e decimal128; f decimal32; h half; i char32_t; s char16_t; "
              + "u char8_t; a auto; c decltype(auto); n decltype(nullptr)");

  /** Suffixes of literals by the letter of their type. */
  static final Map<Character, String> LITERAL_SUFFIX =
      Map.of('i', "", 'j', "u", 'l', "l", 'm', "ul", 'x', "ll", 'y', "ull");

  /** Operators of one operand in an expression, of two, and of three. */
  static final Map<String, String> UNARY =
      table(
          "dl delete; da delete[]; ps +; ng -; ad &; de *; co ~; nt !; pp ++; mm --; "
              + "aw co_await; st sizeof ; sz sizeof ; at alignof ; az alignof ");

  static final Map<String, String> BINARY =
      table(
          "pl +; mi -; ml *; dv /; rm %; an &; or |; eo ^; aS =; pL +=; mI -=; mL *=; "
              + "dV /=; rM %=; aN &=; oR |=; eO ^=; ls <<; rs >>; lS <<=; rS >>=; eq ==; ne !=; "
              + "lt <; gt >; le <=; ge >=; ss <=>; aa &&; oo ||; cm ,; pm ->*; pt ->; dt .; "
              + "cl (); ix []");

  static final Map<String, String> TERNARY = table("nw new; na new[]; qu ?");

  /** Names of what the compiler makes, by how they begin. */
  static final Map<String, String> SPECIAL =
      table(
          "TV vtable for ; TT VTT for ; TI typeinfo for ; TS typeinfo name for ; "
              + "TF typeinfo fn for ; TH TLS init function for ; TW TLS wrapper function for ; "
              + "Th non-virtual thunk to ; Tv virtual thunk to ; Tc covariant return thunk to ; "
              + "GV guard variable for ; GA hidden alias for ; GTt transaction clone for ; "
              + "GTn non-transaction clone for ");

  private ItaniumTables() {}

  /** The text of an operator; null if the code is none. */
  static String operator(String code) {
    String text = BINARY.getOrDefault(code, UNARY.get(code));
    return text == null ? TERNARY.get(code) : text;
  }

  /** Entries of a code, a space and a text, which may end with a space. */
  static Map<String, String> table(String entries) {
    Map<String, String> table = new HashMap<>();
    for (String entry : entries.split("; ")) {
      int space = entry.indexOf(' ');
      table.put(entry.substring(0, space), entry.substring(space + 1));
    }
    return table;
  }
}
