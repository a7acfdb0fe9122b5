/** What the border between Java and native is said to cost, compared with a program's own clock. */
package stackweave.lab.border;
