/** What applications label their samples with. */
package stackweave.live.labels;
