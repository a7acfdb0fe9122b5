/**
 * Labels of samples beside the truth: each label runs a method of its own name, which the stack
 * shows.
 */
package stackweave.lab.labels;
