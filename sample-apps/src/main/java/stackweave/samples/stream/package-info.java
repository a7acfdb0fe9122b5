/** Samples as a stream, while a program runs: in the program itself, and from elsewhere by JMX. */
package stackweave.samples.stream;
