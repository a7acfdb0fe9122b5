/**
 * The loaded modules by time and address: finds, opens and keeps their images, tables and symbols,
 * and files of debug symbols.
 */
package stackweave.maps.modules;
