/** What the agent must not do to an application, and what it may cost. */
package stackweave.live.harm;
