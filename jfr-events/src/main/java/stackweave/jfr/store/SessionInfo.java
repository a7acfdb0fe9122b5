package stackweave.jfr.store;

/**
 * The agent's version and the legends of its codes. Legends are text, {@code 0=native,1=kernel,…},
 * so that neither this module nor a reader needs the agent's enums. Immutable.
 *
 * @param agentVersion version of the agent
 * @param abi architecture and C library, such as {@code x86_64-linux-gnu}
 * @param kindLegend the frame kinds
 * @param endLegend the ends of stacks
 * @param completeEnds the codes of the ends at which a stack reached its thread's first frame,
 *     separated by commas
 * @param stateLegend the thread states
 * @param foundLegend how frames were found
 * @param guesses the codes of those ways that can lead to a wrong frame, separated by commas
 */
public record SessionInfo(
    String agentVersion,
    String abi,
    String kindLegend,
    String endLegend,
    String completeEnds,
    String stateLegend,
    String foundLegend,
    String guesses) {
  /** Without ways of finding frames. */
  public SessionInfo(
      String agentVersion,
      String abi,
      String kindLegend,
      String endLegend,
      String completeEnds,
      String stateLegend) {
    this(agentVersion, abi, kindLegend, endLegend, completeEnds, stateLegend, "", "");
  }
}
