package stackweave.maps.demangle;

import java.util.HashMap;
import java.util.Map;

/** The codes of the Itanium C++ ABI, sections 5.1.2 to 5.1.6, with what they are written as. */
final class ItaniumTables {
  /** Builtin types by letter, or by two letters, the first being D. */
  static final Map<String, String> BUILTIN =
      table(
          "v void; w wchar_t; b bool; c char; a signed char; h unsigned char; s short; "
              + "t unsigned short; i int; j unsigned int; l long; m unsigned long; x long long; "
              + "y unsigned long long; n __int128; o unsigned __int128; f float; d double; "
              + "e long double; g __float128; z ...; "
              + "Dd decimal64; De decimal128; Df decimal32; Dh half; Di char32_t; Ds char16_t; "
              + "Du char8_t; Da auto; Dc decltype(auto); Dn decltype(nullptr)");

  /** Suffixes of literals by the letter of their type. */
  static final Map<Character, String> LITERAL_SUFFIX =
      Map.of('i', "", 'j', "u", 'l', "l", 'm', "ul", 'x', "ll", 'y', "ull");

  /** Names of operators. */
  static final Map<String, String> OPERATOR =
      table(
          "dl delete; da delete[]; ps +; ng -; ad &; de *; co ~; nt !; pp ++; mm --; "
              + "aw co_await; nw new; na new[]; qu ?; "
              + "pl +; mi -; ml *; dv /; rm %; an &; or |; eo ^; aS =; pL +=; mI -=; mL *=; "
              + "dV /=; rM %=; aN &=; oR |=; eO ^=; ls <<; rs >>; lS <<=; rS >>=; eq ==; ne !=; "
              + "lt <; gt >; le <=; ge >=; ss <=>; aa &&; oo ||; cm ,; pm ->*; pt ->; dt .; "
              + "cl (); ix []");

  /**
   * What expressions have behind their code, where it is not two expressions: e an expression, E
   * expressions up to E, p one that may begin with an underscore, c one or E behind an underscore,
   * t a type, d a name or a type, o an operator, s a name with its scope.
   */
  static final Map<String, String> OPERANDS =
      table(
          "dl e; da e; ps e; ng e; ad e; de e; co e; nt e; pp p; mm p; aw e; sz e; az e; gs e; "
              + "te e; nx e; tw e; sp e; sZ e; st t; at t; ti t; tr ; qu eee; cl E; il E; tl tE; "
              + "cv tc; dc te; sc te; cc te; rc te; on o; sr s; dn d; "
              + "fl oe; fr oe; fL oee; fR oee");

  /** Names of what the compiler makes, by how they begin. */
  static final Map<String, String> SPECIAL =
      table(
          "TV vtable for ; TT VTT for ; TI typeinfo for ; TS typeinfo name for ; "
              + "TF typeinfo fn for ; TH TLS init function for ; TW TLS wrapper function for ; "
              + "Th non-virtual thunk to ; Tv virtual thunk to ; Tc covariant return thunk to ; "
              + "GV guard variable for ; GA hidden alias for ; GTt transaction clone for ; "
              + "GTn non-transaction clone for ");

  private ItaniumTables() {}

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
