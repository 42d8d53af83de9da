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

/** The upgrade protocol with which `pincer stdio` requests a raw connection from the hub's listener. */
export const STDIO_PROTOCOL = 'pincer-stdio';
/**
 * In this header the client of such a connection announces its end line: the line that says it has no more requests.
 * The line is random, so no message passing through can contain it by chance. A connection that ends without it was lost.
 */
export const STDIO_END_HEADER = 'pincer-end';
/** Set when the caller is a model run by OpenClaw. It can only reduce rights. */
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

/** In `_meta` of a result: the code that other nodes of OpenClaw use for this failure. */
export const FAILURE_CODE_KEY = 'pincer/code';

/** In `_meta` of a result that replaces an error: code, outcome and hint, as in `data` of a JSON-RPC error. */
export const ERROR_KEY = 'pincer/error';

/** In `_meta` of a tool: example arguments. */
export const EXAMPLE_KEY = 'pincer/example';

/** In `_meta` of a list: servers that are not connected, listed with their last known entries. */
export const STALE_KEY = 'pincer/stale';

/** Envelope keys of the modern era. They mean nothing to a legacy server. */
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
  /** Legacy era. The modern era uses invalidParams. */
  resourceNotFound: -32002,
  /** Legacy era: the person has to visit a web page first. */
  urlElicitationRequired: -32042,
  /** Pincer's own: the call certainly did not run. */
  notExecuted: -32010,
  /** Pincer's own: the call was sent and its outcome is unknown. */
  outcomeUnknown: -32011,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** Tasks in the modern era. In the legacy era they are the capability `tasks`. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** Pincer's own: how many milliseconds the client waits. Then the call is cancelled and the client gets the outcome. */
export const WAIT_HEADER = 'pincer-wait-ms';

/** Pincer's own: a mark chosen by the client, to find the approval that its call waits for. */
export const MARK_HEADER = 'pincer-mark';

/** Content type of a control answer preceded by events, one JSON value per line. */
export const CONTROL_STREAM = 'application/x-ndjson';
