/** A self-signed certificate for this machine, encoded as DER (RFC 5280, RFC 8410). */
import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  /** SHA-256 in upper-case hexadecimal, separated by colons. */
  readonly fingerprint: string;
}

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8 = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const IP_ADDRESS = 0x87;

const ED25519 = [0x2b, 0x65, 0x70];
const COMMON_NAME = [0x55, 0x04, 0x03];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];
const DAY_MS = 86_400_000;

export function makeCertificate(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const algorithm = der(SEQUENCE, der(OBJECT_ID, ED25519));
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, der(OBJECT_ID, COMMON_NAME), der(UTF8, 'openclaw-gateway'))),
  );
  const address = der(SEQUENCE, der(IP_ADDRESS, [127, 0, 0, 1]));
  const body = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, [2])),
    der(INTEGER, [1]),
    algorithm,
    name,
    der(SEQUENCE, timeIn(-DAY_MS), timeIn(DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      EXTENSIONS,
      der(SEQUENCE, der(SEQUENCE, der(OBJECT_ID, SUBJECT_ALT_NAME), der(OCTET_STRING, address))),
    ),
  );
  const signature = der(BIT_STRING, [0], sign(null, body, privateKey));
  const certificate = new X509Certificate(der(SEQUENCE, body, algorithm, signature));
  return {
    cert: certificate.toString(),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    fingerprint: certificate.fingerprint256,
  };
}

const timeIn = (ms: number): Buffer =>
  der(UTC_TIME, `${new Date(Date.now() + ms).toISOString().replace(/\D/g, '').slice(2, 14)}Z`);

function der(tag: number, ...parts: readonly (Uint8Array | readonly number[] | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const length =
    body.length < 0x80
      ? [body.length]
      : body.length < 0x100
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
