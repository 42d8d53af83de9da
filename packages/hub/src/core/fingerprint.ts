/** The SHA-256 fingerprint of a certificate, as people copy it: with colons or without, in large letters or small ones. */
export const FINGERPRINT = /^(?:[sS][hH][aA]256:)?(?:[0-9a-fA-F]{64}|(?:[0-9a-fA-F]{2}:){31}[0-9a-fA-F]{2})$/;

/** In one form, so that two can be compared; undefined: it is none. */
export const readFingerprint = (text: string): string | undefined =>
  FINGERPRINT.test(text.trim())
    ? text
        .trim()
        .replace(/^sha256:/i, '')
        .replaceAll(':', '')
        .toLowerCase()
    : undefined;
