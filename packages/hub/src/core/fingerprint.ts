/** The SHA-256 fingerprint of a certificate as people copy it: with or without colons, in either case. */
export const FINGERPRINT = /^(?:[sS][hH][aA]256:)?(?:[0-9a-fA-F]{64}|(?:[0-9a-fA-F]{2}:){31}[0-9a-fA-F]{2})$/;

/** Normalizes a fingerprint so that two can be compared. Returns undefined if the text is not a fingerprint. */
export const readFingerprint = (text: string): string | undefined =>
  FINGERPRINT.test(text.trim())
    ? text
        .trim()
        .replace(/^sha256:/i, '')
        .replaceAll(':', '')
        .toLowerCase()
    : undefined;
