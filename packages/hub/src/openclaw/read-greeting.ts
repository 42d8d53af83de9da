/** What a gateway says before anything else. Where it leaves something out, or says what cannot be, OpenClaw's defaults hold. */
import { z } from 'zod';
import type { Challenge, Hello } from './handshake.ts';

/** OpenClaw's defaults. */
const USUAL_PAYLOAD = 25 * 1024 * 1024;
const USUAL_TICK_MS = 30_000;
/** A timer waits for a few ticks, and takes no more than 2^31 ms. */
const MAX_TICK_MS = 2 ** 29;

/** A longer device token is not kept. */
const MAX_TOKEN = 4_096;

const text = z.string().optional().catch(undefined);
const bytes = z.number().positive();

const challenge = z.object({ nonce: z.string(), ts: z.number() });

const hello = z.object({
  server: z.object({ version: z.string().catch('of a version that it does not tell'), bootId: text }),
  auth: z.object({ deviceToken: z.string().min(1).max(MAX_TOKEN).optional().catch(undefined) }).catch({}),
  snapshot: z
    .object({ sessionDefaults: z.object({ defaultAgentId: text }) })
    .optional()
    .catch(undefined),
  policy: z
    .object({
      maxPayload: bytes.catch(USUAL_PAYLOAD),
      tickIntervalMs: z.number().positive().max(MAX_TICK_MS).catch(USUAL_TICK_MS),
      attachments: z.object({ maxBytes: bytes, maxImageBytes: bytes }).optional().catch(undefined),
    })
    .catch({ maxPayload: USUAL_PAYLOAD, tickIntervalMs: USUAL_TICK_MS }),
});

/** Undefined: whatever says this is no gateway. */
export const readChallenge = (value: unknown): Challenge | undefined => challenge.safeParse(value).data;

/** Undefined: this is no greeting. */
export const readHello = (value: unknown): Hello | undefined => hello.safeParse(value).data;
