/** What the tests of all modules share: the JDKs of the machine, the fuzzer, Markdown tables. */
package stackweave.testing;
