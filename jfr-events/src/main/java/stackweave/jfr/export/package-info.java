/** Stacks as other tools and people like them: collapsed text, a flame graph, tables. */
package stackweave.jfr.export;
