/** `GET status`: the hub, its servers, its files and the app proxy. Times are in milliseconds since 1970. */
import { z } from 'zod';

const names = z.array(z.string()).readonly();

const storeIncident = z.object({
  at: z.number(),
  file: z.string(),
  /** The table, or `file` for all of it. */
  part: z.string(),
  message: z.string(),
  hint: z.string(),
  /** Where the damaged file is now. */
  movedTo: z.string().optional(),
  /** Writes still fail. */
  isOpen: z.boolean(),
});

/** The files that the hub keeps its state in. */
const storeReport = z.object({
  /** All incidents since the hub started, including solved ones. */
  incidents: z.array(storeIncident).readonly(),
  /** Servers whose pins may have been lost. */
  doubted: names,
});

const appStatus = z.object({
  name: z.string(),
  sessions: z.number(),
  bridges: z.number(),
  /** Tools that callers of `/mcp` can use. */
  tools: z.number(),
});

const proxyReport = z.object({
  /** `http://127.0.0.1:8000` */
  address: z.string(),
  sessions: z.number(),
  /** Sessions whose app is connected. */
  bridges: z.number(),
  /** The sides that need no token. */
  open: z.array(z.enum(['apps', 'openclaw'])).readonly(),
  apps: z.array(appStatus).readonly(),
  /** The `.env` file of the app proxy, if it sets anything: names of variables, never values. */
  dotEnv: z.object({ file: z.string(), sets: names, ignored: names }).optional(),
});

/** A new or changed tool that waits for a person. */
export const heldTool = z.object({
  server: z.string(),
  tool: z.string(),
  why: z.enum(['changed', 'new', 'lost']),
});

/** How the hub authenticates to the server. */
const reportedAuth = z.object({
  kind: z.enum(['none', 'api-key', 'oauth']),
  /** When the current token expires; absent: never, or unknown. */
  expiresAt: z.number().optional(),
  /** The hub renews it before it expires. */
  isRenewable: z.boolean().optional(),
  scopes: names.optional(),
  needsSignIn: z.boolean().optional(),
  /** Each caller signs in separately. */
  isPerCaller: z.boolean().optional(),
});

const reportedError = z.object({
  /** A string, not a list of codes: a hub of another version may know more of them. */
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  /** The invalid setting, and its place. */
  setting: z.string().optional(),
  file: z.string().optional(),
  line: z.number().optional(),
});

/** An invalid setting. Only the part that it configures is switched off. */
export const reportedProblem = reportedError.extend({
  /** The first word of the setting. */
  section: z.string(),
  /** The name of the server, or of the app. */
  name: z.string().optional(),
  setting: z.string(),
  hint: z.string(),
  /** A sentence that says what is switched off because of it. */
  effect: z.string().optional(),
  /** The `variable` or `secret` that a reference does not find. */
  missing: z.record(z.string(), z.unknown()).readonly().optional(),
});

const serverReport = z.object({
  name: z.string(),
  /** A string, not a list of states: a hub of another version may know more of them. */
  state: z.string(),
  transport: z.enum(['http', 'stdio']),
  target: z.string(),
  tools: z.number(),
  /** Only for a running stdio server. */
  pid: z.number().optional(),
  /** Only for an HTTP server: the beginning of its session id. */
  session: z.string().optional(),
  /** Time of the last message, including answers to heartbeats. */
  lastHeardAt: z.number().optional(),
  era: z.string().optional(),
  inFlight: z.number().optional(),
  /** When it entered its state. */
  since: z.number().optional(),
  /** Failed attempts in a row, and when the next one is made. */
  attempts: z.number().optional(),
  nextTryAt: z.number().optional(),
  /** How often it became ready. */
  connects: z.number().optional(),
  lastDiscoveryAt: z.number().optional(),
  discoveries: z.number().optional(),
  discoveryFailures: z.number().optional(),
  /** It is not connected: its tools are those of its last connection. */
  isStale: z.boolean().optional(),
  /** Calls that were retried because they had not run or are idempotent. */
  repeated: z.number().optional(),
  stderr: z.string().optional(),
  /** The file that defines it. */
  origin: z.string().optional(),
  error: reportedError.optional(),
  /** Its settings are invalid, so the hub does not connect until they are corrected. */
  isMisconfigured: z.boolean().optional(),
  /** The prefix of its tool names, before `__`. */
  prefix: z.string().optional(),
  /** The longest time that a call can take. */
  longestCallMs: z.number().optional(),
  /** OpenClaw agents that may use it; absent: all. */
  agents: names.optional(),
  /** The policy asks about or denies some of its tools. */
  isGuarded: z.boolean().optional(),
  auth: reportedAuth.optional(),
});

export const hubStatus = z.object({
  /** Grows with every change: `GET status?since=N` answers once it is no longer N. */
  revision: z.number().optional(),
  version: z.string(),
  pid: z.number(),
  mode: z.enum(['foreground', 'background']),
  /** Clients on a pipe. */
  attached: z.number(),
  callsInFlight: z.number(),
  /** Why the configuration file cannot be used, while the hub keeps the previous one. */
  configProblem: z.string().optional(),
  /** All invalid settings, including those of servers. */
  problems: z.array(reportedProblem).readonly().optional(),
  held: z.array(heldTool).readonly().optional(),
  /** The number of calls that wait for approval. */
  approvals: z.number().optional(),
  servers: z.array(serverReport).readonly(),
  store: storeReport.optional(),
  /** Absent if no app proxy is running. */
  proxy: proxyReport.optional(),
});

export type HubStatus = z.output<typeof hubStatus>;
export type StoreReport = z.output<typeof storeReport>;
export type ProxyReport = z.output<typeof proxyReport>;
export type AppStatus = z.output<typeof appStatus>;
export type HeldTool = z.output<typeof heldTool>;
export type ServerReport = z.output<typeof serverReport>;
export type ReportedAuth = z.output<typeof reportedAuth>;
export type ReportedError = z.output<typeof reportedError>;
export type ReportedProblem = z.output<typeof reportedProblem>;
