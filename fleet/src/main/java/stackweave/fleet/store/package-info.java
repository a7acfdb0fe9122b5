/** The directory of the tables: which batches are visible, and how a new one becomes it. */
package stackweave.fleet.store;
