/**
 * The control API: every method and path with its request and its response, and the form of a failure. Server and client
 * take their types from here. Clients import only types from this folder, so that no command loads zod.
 */
import { z } from 'zod';
import { appSessions, deviceReport } from './machine.ts';
import {
  addTokenBody,
  askAheadBody,
  askedAhead,
  beginSignInBody,
  begunSignIn,
  decideBody,
  ensureTokenBody,
  openApproval,
  signedIn,
  signedOut,
  tokenReport,
} from './people.ts';
import {
  acceptBody,
  addServerBody,
  addServerEvent,
  configProblem,
  errorCode,
  heldReport,
  offerReport,
  probeReport,
  reloadReport,
  resourceClash,
  toolReport,
} from './servers.ts';
import { hubStatus } from './status.ts';

export interface RouteSchemas {
  /** Unknown parameters are ignored. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Sent before the response, to a client that listens. */
  readonly event?: z.ZodType;
  readonly response: z.ZodType;
}

const nothing = z.null();
const list = <T extends z.ZodType>(item: T) => z.array(item).readonly();

/** A missing name is treated as an empty one, so that the error says which thing does not exist. */
const needed = z.string().catch('');
const numeric = z.coerce.number<number | string>();

const ofServer = z.object({ server: z.string().optional() });
const nameBody = z.strictObject({ name: z.string() });
const signInBody = z.strictObject({ server: z.string(), caller: z.string().optional() });

export const CONTRACT = {
  'GET status': { query: z.object({ since: numeric.optional() }), response: hubStatus },
  'GET clashes': { response: list(resourceClash) },
  'POST stop': { response: nothing },

  'POST reload': { response: reloadReport },
  'POST check': {
    body: z.strictObject({ text: z.string() }),
    response: z.object({ problems: list(configProblem) }),
  },
  'POST servers': { body: addServerBody, event: addServerEvent, response: list(toolReport) },
  'POST servers/cancel': { body: z.strictObject({ id: z.string() }), response: nothing },
  'POST disconnect': { body: nameBody, response: nothing },
  'POST probe': { body: nameBody, response: probeReport },
  'GET offer': { query: z.object({ server: needed }), response: offerReport },

  'GET tools': { query: ofServer, response: list(toolReport) },
  /** `wait`: milliseconds to wait until the server has listed its tools. */
  'GET tool': {
    query: z.object({ server: needed, name: needed, wait: numeric.optional() }),
    response: toolReport,
  },
  'GET held': { query: ofServer, response: list(heldReport) },
  'POST accept': { body: acceptBody, response: z.object({ accepted: list(z.string()) }) },

  'GET approvals': { response: list(openApproval) },
  'POST approvals': { body: decideBody, response: openApproval },
  'DELETE approvals': { query: z.object({ id: needed }), response: nothing },
  'POST approvals/ask': { body: askAheadBody, response: askedAhead },

  'GET tokens': { response: list(tokenReport) },
  'POST tokens': { body: addTokenBody, response: z.object({ name: z.string(), token: z.string() }) },
  'POST tokens/ensure': {
    body: ensureTokenBody,
    response: z.object({ token: z.string(), isNew: z.boolean() }),
  },
  'DELETE tokens': { query: z.object({ name: needed }), response: nothing },

  'GET sessions': { query: z.object({ app: z.string().optional() }), response: appSessions },
  'DELETE sessions': { query: z.object({ id: needed }), response: nothing },

  'GET device': { response: deviceReport },
  'POST device/node/refresh': { response: nothing },

  'POST sign-in': { body: beginSignInBody, response: begunSignIn },
  'POST sign-in/wait': {
    body: z.strictObject({ state: z.string(), waitMs: z.int().min(0).optional() }),
    response: z.object({ isUnderWay: z.boolean(), signedIn: signedIn.optional() }),
  },
  'POST sign-in/code': {
    body: signInBody.extend({ code: z.string() }),
    response: z.object({ server: z.string(), signedIn }),
  },
  'POST sign-in/cancel': { body: signInBody, response: nothing },
  'POST sign-out': { body: signInBody, response: signedOut },
} satisfies Readonly<Record<`${'GET' | 'POST' | 'DELETE'} ${string}`, RouteSchemas>>;

/** The answer of a failed request. Its HTTP status is not 200. */
export const FAILURE = z.object({
  error: z.object({
    code: errorCode.optional(),
    message: z.string(),
    hint: z.string().optional(),
    data: z.record(z.string(), z.unknown()).optional(),
  }),
});

export type ControlFailure = z.output<typeof FAILURE>;

type Contract = typeof CONTRACT;

/** A method and a path below `/control/`: `GET status`. */
export type ControlRoute = keyof Contract;

/** Optional if the route requires none of its members. */
type Member<Key extends string, Value> = {} extends Value
  ? { readonly [K in Key]?: Value | undefined }
  : { readonly [K in Key]: Value };

/** The request as a client sends it. */
export type RequestOf<Route extends ControlRoute> = (Contract[Route] extends {
  query: infer Query extends z.ZodType;
}
  ? Member<'query', z.input<Query>>
  : unknown) &
  (Contract[Route] extends { body: infer Body extends z.ZodType } ? Member<'body', z.input<Body>> : unknown);

/** The request as the hub's handler gets it. */
export interface ParsedRequest<Route extends ControlRoute> {
  readonly query: Contract[Route] extends { query: infer Query extends z.ZodType }
    ? z.output<Query>
    : undefined;
  readonly body: Contract[Route] extends { body: infer Body extends z.ZodType } ? z.output<Body> : undefined;
}

export type EventOf<Route extends ControlRoute> = Contract[Route] extends {
  event: infer Event extends z.ZodType;
}
  ? z.output<Event>
  : never;

export type ResponseOf<Route extends ControlRoute> = z.output<Contract[Route]['response']>;
