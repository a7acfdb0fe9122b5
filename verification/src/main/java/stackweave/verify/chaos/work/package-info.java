/** What antagonists share: tallies of what was done, results that are known, native helpers. */
package stackweave.verify.chaos.work;
