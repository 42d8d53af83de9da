/** Why there is no connection to a gateway, and what to do about it. */
import { asSentence } from '../lib/as-sentence.ts';
import { messageOf, PincerError } from '../core/errors.ts';
import { shownAddress } from './shown-address.ts';
import { OtherCertificateError } from './web-socket.ts';

/** `setting`: which one names the gateway. */
export function notReached(url: string, problem: unknown, setting: string): PincerError {
  if (problem instanceof OtherCertificateError)
    return untrusted(url, problem.message, `Somebody may stand between, or it was renewed. ${COMPARE}`);
  const code = problem instanceof Error && 'code' in problem ? String(problem.code) : '';
  if (NOT_TRUSTED.test(code)) return untrusted(url, wordsOf(problem).split(';', 1)[0]!, COMPARE);
  const why = NO_TLS.test(code) ? 'what answers there does not speak TLS' : wordsOf(problem);
  return new PincerError(
    'SERVER_UNREACHABLE',
    `No gateway of OpenClaw answers at ${shownAddress(url)}: ${asSentence(why)}`,
    { hint: `Start it with openclaw gateway run, or set ${setting}.` },
  );
}

function wordsOf(problem: unknown): string {
  // Several addresses of one name were tried: that error has no words of its own.
  if (problem instanceof AggregateError) return messageOf(problem.errors[0]);
  const isOver = problem === undefined || (problem instanceof Error && problem.name === 'AbortError');
  return isOver ? 'nothing answers there' : messageOf(problem);
}

const NOT_TRUSTED = /CERT|SELF_SIGNED|ISSUER|LEAF|ALTNAME/;
const NO_TLS = /^(?:EPROTO|ERR_SSL_)/;

/** The fingerprint that was shown is not printed: whoever stands between would have shown theirs. */
const COMPARE =
  "On the gateway's machine run `openssl x509 -noout -fingerprint -sha256 -in ~/.openclaw/gateway/tls/gateway-cert.pem`, and here `pincer node pair --tls-fingerprint` with what it prints; for orders it goes into gateway.remote.tlsFingerprint of openclaw.json.";

const untrusted = (url: string, why: string, hint: string): PincerError =>
  new PincerError(
    'SERVER_UNREACHABLE',
    `The certificate of ${shownAddress(url)} is not trusted, and nothing was said to it: ${asSentence(why)}`,
    { hint },
  );
