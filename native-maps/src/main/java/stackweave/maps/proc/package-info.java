/** What /proc says: mappings of the process, and files that are read without being waited for. */
package stackweave.maps.proc;
