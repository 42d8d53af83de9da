/** Pinned to package.json by a test: the library, the bundle and the plugin all report the same one. */
export const VERSION = '0.1.0';
