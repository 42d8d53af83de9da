/** Pinned to package.json by a test: library, bundle and plugin report the same version. */
export const VERSION = '0.1.0';
