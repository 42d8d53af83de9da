/** Apps that nobody has named: that of the shared token, and that of those who need none. No app may be called so. */
export const SHARED_APP = 'apps';
export const ANONYMOUS_APP = 'anonymous';
