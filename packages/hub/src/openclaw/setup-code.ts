/** Reads the setup code that `openclaw qr` prints for pairing a device: the gateway's URL, and a token for a single pairing. */
import { z } from 'zod';
import { PincerError } from '../core/errors.ts';
import { FINGERPRINT, readFingerprint } from '../core/fingerprint.ts';
import { socketUrl } from './find.ts';

interface SetupCode {
  readonly url: string;
  readonly bootstrapToken: string;
  /** The fingerprint of the gateway's certificate; undefined if the code has none. */
  readonly fingerprint?: string;
}

const PREFIX = /^oc-pair:\/\//i;

const payloadSchema = z.object({
  url: z.string().min(1),
  bootstrapToken: z.string().min(1),
  expiresAtMs: z.number().optional(),
  tlsFingerprint: z.string().regex(FINGERPRINT).optional(),
});

export function readSetupCode(text: string, now: number): SetupCode {
  const code = text.trim().replace(PREFIX, '');
  const { success, data } = payloadSchema.safeParse(decoded(code));
  const url = success ? socketUrl(data.url) : undefined;
  if (!success || url === undefined) throw unreadable();
  if (data.expiresAtMs !== undefined && data.expiresAtMs <= now) throw expired();
  const fingerprint = data.tlsFingerprint === undefined ? undefined : readFingerprint(data.tlsFingerprint);
  return { url, bootstrapToken: data.bootstrapToken, ...(fingerprint !== undefined && { fingerprint }) };
}

function decoded(code: string): unknown {
  try {
    return JSON.parse(Buffer.from(code, 'base64url').toString());
  } catch {
    return undefined;
  }
}

const unreadable = (): PincerError =>
  new PincerError('ARGUMENT_INVALID', 'This is not a setup code of OpenClaw.', {
    hint: "Copy the whole code from the gateway's machine: openclaw qr --setup-code-only",
  });

const expired = (): PincerError =>
  new PincerError('ARGUMENT_INVALID', 'This setup code has expired.', {
    hint: "Create another one on the gateway's machine: openclaw qr --setup-code-only",
  });
