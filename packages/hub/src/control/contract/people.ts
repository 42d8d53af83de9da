/** Requests about people and callers: approvals, tokens and sign-ins. Times are in milliseconds since 1970. */
import { z } from 'zod';
import { isRecord } from '../../lib/record.ts';

export const openApproval = z.object({
  id: z.string(),
  caller: z.string(),
  server: z.string(),
  tool: z.string(),
  /** JSON text for people, in full: nothing is cut or redacted. */
  arguments: z.string(),
  askedAt: z.number(),
  state: z.enum(['open', 'allowed', 'denied']),
  expiresAt: z.number().optional(),
  /** The marks of the calls that wait for it. */
  marks: z.array(z.string()).readonly().optional(),
});

export const decideBody = z
  .strictObject({
    id: z.string().min(1),
    decision: z.enum(['allowed', 'denied']),
    /** Allows such calls from now on. */
    always: z.literal(true).optional(),
  })
  .refine(({ decision, always }) => always === undefined || decision === 'allowed', {
    error: '"always" works only with allowed',
  });

export const askAheadBody = z.strictObject({
  server: z.string().min(1),
  /** The name of the credential of the call. */
  by: z.string().min(1),
  method: z.enum(['tools/call', 'prompts/get', 'resources/read']).default('tools/call'),
  /** The params of the call, with the server's own names. */
  params: z.custom<Record<string, unknown>>(isRecord, { error: 'an object' }),
  /** How many bytes of the arguments can be shown. */
  room: z
    .int()
    .min(64)
    .max(64 * 1024)
    .default(2_048),
});

/** An open approval: the client decides it, or withdraws it. */
const askedQuestion = z.object({
  decision: z.literal('ask'),
  id: z.string(),
  server: z.string(),
  tool: z.string(),
  /** JSON text for people, in full unless `isCut`. */
  arguments: z.string(),
  /** A person must not allow a call that is not shown in full. `GET approvals` has all of it. */
  isCut: z.boolean(),
});

/** The decision about a call that the client is about to send. */
export const askedAhead = z.discriminatedUnion('decision', [
  z.object({ decision: z.literal('allow') }),
  z.object({
    decision: z.literal('deny'),
    code: z.string().optional(),
    message: z.string(),
    hint: z.string().optional(),
  }),
  askedQuestion,
]);

const scopes = {
  servers: z.array(z.string()).readonly().optional(),
  tools: z.array(z.string()).readonly().optional(),
  readOnly: z.boolean().optional(),
  approve: z.boolean().optional(),
  openClaw: z.boolean().optional(),
};

export const addTokenBody = z.strictObject({ name: z.string().min(1).max(64), ...scopes });

export const ensureTokenBody = addTokenBody.extend({
  /** The token that the client holds. The hub keeps it if it is still valid for these scopes. */
  token: z.string().optional(),
});

export const tokenReport = z.object({
  name: z.string(),
  scopes: z.object({ ...scopes, noOrders: z.boolean().optional() }),
  /** ISO 8601. */
  createdAt: z.string(),
});

export const beginSignInBody = z.strictObject({
  server: z.string(),
  /** The name of the token that signs in; absent: the command line. */
  caller: z.string().optional(),
  openBrowser: z.boolean().optional(),
  scopes: z.array(z.string().min(1)).readonly().optional(),
});

export const begunSignIn = z.object({
  server: z.string(),
  /** Absent if no page has to be opened. */
  link: z.string().optional(),
  /** The code to type on the page of the link. */
  userCode: z.string().optional(),
  state: z.string(),
  hasOpenedBrowser: z.boolean(),
});

/** The result of a sign-in, without its secrets. */
export const signedIn = z.object({
  issuer: z.string(),
  scopes: z.array(z.string()).readonly(),
  expiresAt: z.number().optional(),
  isRenewable: z.boolean(),
});

export const signedOut = z.object({
  server: z.string(),
  wasSignedIn: z.boolean(),
  wasRevoked: z.boolean(),
});

export type OpenApproval = z.output<typeof openApproval>;
export type AskedAhead = z.output<typeof askedAhead>;
export type AskedQuestion = Omit<z.output<typeof askedQuestion>, 'decision'>;
export type TokenReport = z.output<typeof tokenReport>;
export type SignedIn = z.output<typeof signedIn>;
export type SignedOut = z.output<typeof signedOut>;
