/** Text as the VM has it, for all modules. It stands here because all others depend on this one. */
package stackweave.unwind.text;
