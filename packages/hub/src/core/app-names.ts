/** Reserved app names: for the shared token, and for apps that need no token. No app may be named like this. */
export const SHARED_APP = 'apps';
export const ANONYMOUS_APP = 'anonymous';
