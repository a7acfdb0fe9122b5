package stackweave.maps.kernel;

/** Symbols of the kernel by address, each with a number; {@link KernelSymbols} asks two of them. */
interface KernelTable {

  /** The symbol that covers {@code address}, or {@link KernelSymbols#NONE}. */
  int find(long address);

  /** Where symbol {@code i} starts. */
  long start(int i);

  /** What symbol {@code i} is called. */
  String name(int i);

  /** Behind the numbers of all symbols. */
  int limit();

  /** How many symbols there are. */
  int size();

  /** Where the kernel's own code begins. */
  long textStart();

  /** Where the kernel's own code ends: the first address behind it. */
  long textEnd();
}
