package stackweave.unwind.sframe;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.section.Section;
import stackweave.unwind.section.SortedIndex;

/**
 * An SFrame section, read in place: versions 1, 2 (errata 1 and 2) and 3, either byte order, one or
 * several elements. Where it is one element whose functions are in order, a lookup searches the
 * stored index; otherwise an index is built when the section is opened. After that it is
 * thread-safe; the cursors that callers pass are not.
 *
 * <p>Source: SFrame specification version 3 and its history of changes.
 */
public final class SFrameSection {
  private final List<SFrameElement> elements;
  private final int functionCount;
  private final MalformedSectionException trailing;

  // The one element that is searched in place, or null.
  private final SFrameElement single;
  private final SortedIndex index;
  private final int[] firstFunctions;
  private final boolean sameVersion;

  private SFrameSection(List<SFrameElement> elements, MalformedSectionException trailing) {
    this.elements = List.copyOf(elements);
    this.trailing = trailing;
    firstFunctions = new int[elements.size()];
    int count = 0;
    for (int i = 0; i < firstFunctions.length; i++) {
      firstFunctions[i] = count;
      count += elements.get(i).fdeCount;
    }
    functionCount = count;
    sameVersion = elements.stream().mapToInt(element -> element.version).distinct().count() <= 1;
    boolean inPlace = elements.size() == 1 && elements.get(0).isInOrder();
    single = inPlace ? elements.get(0) : null;
    index = inPlace ? null : buildIndex(elements, count);
  }

  private static SortedIndex buildIndex(List<SFrameElement> elements, int count) {
    SortedIndex index = new SortedIndex(count);
    int number = 0;
    for (SFrameElement element : elements) {
      for (int i = 0; i < element.fdeCount; i++, number++) {
        if (element.size(i) != 0) {
          index.add(element.start(i), number);
        }
      }
    }
    index.sort();
    return index;
  }

  /**
   * Opens a section. An empty one is legal and says nothing.
   *
   * @throws MalformedSectionException if its first element can't be read, or if it holds elements
   *     of different architectures; see {@link #trailingFault} for what follows the first
   */
  public static SFrameSection read(Section section) throws MalformedSectionException {
    return read(List.of(section));
  }

  /**
   * Opens all sections of one image as if they were one: functions are numbered through, and
   * offsets in faults are those in the section of the function.
   *
   * @throws MalformedSectionException if no element of any of them can be read
   */
  public static SFrameSection read(List<Section> sections) throws MalformedSectionException {
    List<SFrameElement> elements = new ArrayList<>();
    MalformedSectionException fault = null;
    for (Section section : sections) {
      MalformedSectionException here = read(section, elements);
      fault = fault == null ? here : fault;
    }
    if (fault != null && elements.isEmpty()) {
      throw fault;
    }
    return new SFrameSection(elements, fault);
  }

  /** Adds the elements of a section; what is wrong behind them, or null. */
  private static MalformedSectionException read(Section section, List<SFrameElement> elements) {
    ByteBuffer bytes = section.bytes();
    int offset = 0;
    while (offset < bytes.limit()) {
      try {
        SFrameElement element = SFrameElement.read(bytes, offset, section.address());
        if (!elements.isEmpty() && element.architecture != elements.get(0).architecture) {
          throw new MalformedSectionException(Reason.WRONG_ABI, offset);
        }
        elements.add(element);
        offset = element.end;
        while (offset < bytes.limit() && bytes.get(offset) == 0) {
          offset++; // linkers pad
        }
      } catch (MalformedSectionException e) {
        return e;
      }
    }
    return null;
  }

  /** Version of the first element, 1 to 3; 0 for an empty section. */
  public int version() {
    return elements.isEmpty() ? 0 : elements.get(0).version;
  }

  /** The architecture of all elements; null for an empty section. */
  public Architecture architecture() {
    return elements.isEmpty() ? null : elements.get(0).architecture;
  }

  /** Size of all sections with an element, in bytes. */
  public int size() {
    int size = 0;
    ByteBuffer last = null;
    for (SFrameElement element : elements) {
      if (element.section != last) {
        last = element.section;
        size += last.limit();
      }
    }
    return size;
  }

  /** The elements in stored order, those of all sections. */
  public List<SFrameElement> elements() {
    return elements;
  }

  /** What is wrong with the bytes behind the elements that could be read; null for nothing. */
  public MalformedSectionException trailingFault() {
    return trailing;
  }

  /** Whether lookups search the stored index rather than one that had to be built. */
  public boolean isSearchedInPlace() {
    return single != null;
  }

  /** How many functions all elements have. */
  public int functionCount() {
    return functionCount;
  }

  /** Opens function {@code number}, counted in stored order over all elements. */
  public void open(int number, SFrameFunction function) throws MalformedSectionException {
    int element = element(number);
    function.open(elements.get(element), number - firstFunctions[element]);
  }

  /** The number of the first function of an element. */
  public int firstFunction(int element) {
    return firstFunctions[element];
  }

  /** The element that holds function {@code number}. */
  public int element(int number) {
    int low = 0;
    int high = firstFunctions.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (firstFunctions[middle] <= number) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /**
   * Opens the function that covers an address: the one that starts last at or below it.
   *
   * @return false if none does
   * @throws MalformedSectionException if its description is malformed
   */
  public boolean findFunction(long address, SFrameFunction function)
      throws MalformedSectionException {
    int found = floor(address);
    if (found < 0 || Long.compareUnsigned(address - start(found), size(found)) >= 0) {
      return false;
    }
    open(number(found), function);
    return true;
  }

  /**
   * The version of the element whose function covers an address; that of the first element where
   * all have the same, 3 where no function covers it.
   */
  int versionAt(long address) {
    if (sameVersion) {
      return version();
    }
    int found = floor(address);
    return found >= 0 && Long.compareUnsigned(address - start(found), size(found)) < 0
        ? elements.get(element(number(found))).version
        : 3;
  }

  /** The start of the function that covers an address, or {@link UnwindTable#NO_ADDRESS}. */
  public long functionStart(long address) {
    int found = floor(address);
    return found >= 0 && Long.compareUnsigned(address - start(found), size(found)) < 0
        ? start(found)
        : UnwindTable.NO_ADDRESS;
  }

  /** The end of the last function that starts at or below an address, or NO_ADDRESS. */
  long functionEndBelow(long address) {
    int found = floor(address);
    return found < 0 ? UnwindTable.NO_ADDRESS : start(found) + size(found);
  }

  /** The start of the first function that starts above an address, or NO_ADDRESS. */
  long functionStartAbove(long address) {
    int above = floor(address) + 1;
    int count = single != null ? single.fdeCount : index.size();
    return above < count ? start(above) : UnwindTable.NO_ADDRESS;
  }

  // Places in the order of starts: those of the single element, or those of the index.

  /** The place of the last function that starts at or below an address, or -1. */
  private int floor(long address) {
    return single != null ? single.floor(address) : index.floor(address);
  }

  private long start(int place) {
    return single != null ? single.start(place) : index.start(place);
  }

  private long size(int place) {
    if (single != null) {
      return single.size(place);
    }
    int number = index.value(place);
    int element = element(number);
    return elements.get(element).size(number - firstFunctions[element]);
  }

  private int number(int place) {
    return single != null ? place : index.value(place);
  }

  /**
   * Finds the row that holds at an address.
   *
   * @param function becomes the function that covers the address
   * @param row becomes the row
   * @return false if no function covers it or none of the function's rows does
   * @throws MalformedSectionException if the function is malformed up to that row
   */
  public boolean find(long address, SFrameFunction function, SFrameRow row)
      throws MalformedSectionException {
    return findFunction(address, function) && function.find(address - function.start(), row);
  }
}
