/** Labels that an application puts on its samples. For applications; of no use to the agent. */
package stackweave.label;
