/**
 * The agent's option {@code weave=on} in a storm of recordings: every woven sample in every file is
 * compared, as the JDKs read it, with what our own reader has.
 */
package stackweave.lab.weave;
