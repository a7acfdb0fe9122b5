package stackweave.agent.attach;

/**
 * The agent's answer to an {@link Order}.
 *
 * @param isDone whether it was carried out
 * @param text for the user: more of what was done, or why it was not
 */
public record Reply(boolean isDone, String text) {}
