/** What a gateway says of itself before anything else. Where it says nothing, or nothing that can be, the usual holds. */
import { isRecord } from '../../../../core/is-record.ts';
import { textAt } from '../../answer/message.ts';
import type { Challenge, Hello } from './handshake.ts';

/** What OpenClaw has if nobody sets it. */
const USUAL_PAYLOAD = 25 * 1024 * 1024;
const USUAL_TICK_MS = 30_000;
/** With room for the few that may be missing, a timer takes no longer one. */
const MAX_TICK_MS = 2 ** 28;

/** Undefined: whatever this is, it is no gateway. */
export function readChallenge(value: unknown): Challenge | undefined {
  if (!isRecord(value)) return undefined;
  const { nonce, ts } = value;
  return typeof nonce === 'string' && typeof ts === 'number' ? { nonce, ts } : undefined;
}

/** Undefined: whatever this is, it is no greeting. */
export function readHello(value: unknown): Hello | undefined {
  if (!isRecord(value) || !isRecord(value['server'])) return undefined;
  const { server } = value;
  const auth = recordAt(value, 'auth');
  const policy = recordAt(value, 'policy');
  return {
    server: { version: textAt(server, 'version') ?? 'unknown', ...optional('bootId', textAt(server, 'bootId')) },
    auth: optional('deviceToken', textAt(auth, 'deviceToken')),
    ...optional(
      'defaultAgentId',
      textAt(recordAt(recordAt(value, 'snapshot'), 'sessionDefaults'), 'defaultAgentId'),
    ),
    policy: {
      maxPayload: positive(policy['maxPayload']) ?? USUAL_PAYLOAD,
      tickIntervalMs: positive(policy['tickIntervalMs'], MAX_TICK_MS) ?? USUAL_TICK_MS,
    },
  };
}
