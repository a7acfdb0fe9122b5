/** What the product says of native memory against a program that leaks known amounts of it. */
package stackweave.lab.memory;
