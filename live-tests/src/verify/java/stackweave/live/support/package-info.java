/** What the live tests share: JVMs, what they recorded, and debuggers to compare with. */
package stackweave.live.support;
