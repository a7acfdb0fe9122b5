/** Stacks as other tools and people like them: collapsed text, a flame graph. */
package stackweave.jfr.export;
