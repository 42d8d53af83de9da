/** Names and numbers of the Model Context Protocol, both eras. */

/** legacy: 2024-11-05 … 2025-11-25, with `initialize`. modern: 2026-07-28, an envelope on every request. */
export type Era = 'legacy' | 'modern';

export const MODERN_VERSION = '2026-07-28';
export const LATEST_LEGACY_VERSION = '2025-11-25';
export const LEGACY_VERSIONS: readonly string[] = [
  LATEST_LEGACY_VERSION,
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
];
export const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];

/** The name under which `pincer stdio` asks the hub's listener for a raw connection. */
export const STDIO_PROTOCOL = 'pincer-stdio';
/**
 * In this header the client of such a connection names the line by which it will say that it has nothing more to ask.
 * It makes the line up at random: whatever passes through it cannot say it by chance. A connection that just ends was lost.
 */
export const STDIO_END_HEADER = 'pincer-end';
/** In this one, that whoever sits at the other end is a model that OpenClaw runs. It can only take something away. */
export const NO_ORDERS_HEADER = 'pincer-no-orders';

const META = 'io.modelcontextprotocol/';
export const META_KEY = {
  protocolVersion: `${META}protocolVersion`,
  clientCapabilities: `${META}clientCapabilities`,
  clientInfo: `${META}clientInfo`,
  logLevel: `${META}logLevel`,
  serverInfo: `${META}serverInfo`,
  subscriptionId: `${META}subscriptionId`,
} as const;

/** In `_meta` of a result: what other nodes of OpenClaw call this failure. */
export const FAILURE_CODE_KEY = 'pincer/code';

/** In `_meta` of a result that stands for an error: code, outcome and hint, as `data` of a JSON-RPC error has them. */
export const ERROR_KEY = 'pincer/error';

/** In `_meta` of a tool: arguments of a call that shows what it is for. */
export const EXAMPLE_KEY = 'pincer/example';

/** In `_meta` of a list: servers that are not connected, whose entries are those that they had when they last were. */
export const STALE_KEY = 'pincer/stale';

/** Envelope keys of the modern era: they mean nothing to a legacy server. */
export const ENVELOPE_META_KEYS: ReadonlySet<string> = new Set([
  META_KEY.protocolVersion,
  META_KEY.clientCapabilities,
  META_KEY.clientInfo,
  META_KEY.logLevel,
]);

export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Legacy era; the modern one says invalidParams. */
  resourceNotFound: -32002,
  /** Legacy era: the person has to visit a web page first. */
  urlElicitationRequired: -32042,
  /** Ours: the call certainly did not run. */
  notExecuted: -32010,
  /** Ours: the call was sent, what became of it is unknown. */
  outcomeUnknown: -32011,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** Tasks in the modern era; in the legacy one they are the capability `tasks`. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** Pincer's own: how many milliseconds whoever calls waits. Then the call is cancelled, and it is told how that ended. */
export const WAIT_HEADER = 'pincer-wait-ms';

/** Pincer's own: a word of the caller's choice, by which it finds the question to a person that its call waits for. */
export const MARK_HEADER = 'pincer-mark';

/** Content type of a control answer with events before it, one JSON value per line. */
export const CONTROL_STREAM = 'application/x-ndjson';
