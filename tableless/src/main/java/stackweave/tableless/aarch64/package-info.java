/** How AArch64 code is read: instructions, and what they do to registers and the stack. */
package stackweave.tableless.aarch64;
