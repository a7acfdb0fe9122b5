/** What antagonists share: tallies of what was done, results that are known, native helpers. */
package stackweave.lab.chaos.work;
