/** Scopes as they are written on the way (RFC 6749 §3.3). Pure. */

/** Each once; what is no scope is left out. */
export const scopesIn = (text: string | undefined): string[] => [
  ...new Set((text ?? '').split(' ').filter(isScope)),
];

/** Undefined: `scope` is left out, and the authorization server chooses. */
export const scopeText = (scopes: readonly string[]): string | undefined => scopes.join(' ') || undefined;

export const isScope = (word: string): boolean => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(word);
