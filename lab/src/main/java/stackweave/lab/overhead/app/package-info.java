/**
 * Applications that the cost of sampling is measured on: they drive programs that this project did
 * not write, and do nothing else that costs much.
 */
package stackweave.lab.overhead.app;
