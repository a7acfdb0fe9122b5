/** Which engine samples: the order of trial, what was refused and why. */
package stackweave.engine.choice;
