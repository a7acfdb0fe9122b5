/** Events that are sampled instead of CPU time, and native memory, against known amounts. */
package stackweave.verify.event;
