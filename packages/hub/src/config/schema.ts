/** The schema of the configuration. */
import { z } from 'zod';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { isPrefix } from '../core/catalog/tool-name.ts';
import { isForbiddenVariable } from '../core/forbidden-variables.ts';
import { isSecure } from '../lib/loopback.ts';
import { deviceSchema } from './device-schema.ts';
import { decision, prefixRule, sourceName, toolPolicy, trust } from './common-rules.ts';
import type { ConfigProblem, FailedServer } from '../core/config-problem.ts';
import { proxySchema, type ProxyConfig } from './proxy-schema.ts';
import { transcriptionSchema } from './transcription-schema.ts';

const httpUrl = z.url({ protocol: /^https?$/ }).refine(
  (text) => {
    const url = URL.parse(text);
    return url === null || isSecure(url);
  },
  { error: 'must be https (plain http only to 127.0.0.0/8, ::1 or localhost)' },
);

const milliseconds = z
  .int()
  .min(1)
  .max(24 * 3_600_000);

/** Refuses variables that make a program run other code. */
function refuseForbidden(env: Record<string, string>, context: z.RefinementCtx): void {
  for (const name of Object.keys(env))
    if (isForbiddenVariable(name, process.platform))
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'is never passed to servers, because it could make them run other code',
      });
}

/** Names of tools; `*` matches anything. `exclude` overrides `include`. */
const toolFilterSchema = z.strictObject({
  include: z.array(z.string().min(1)).optional(),
  exclude: z.array(z.string().min(1)).optional(),
});

/** A token as text, or in a file that is read each time. */
const keptToken = { token: z.string().min(1).optional(), file: z.string().min(1).optional() };

const authSchema = z.strictObject({
  clientId: z.string().min(1).optional(),
  clientSecret: z.string().min(1).optional(),
  authorizationServerUrl: httpUrl.optional(),
  scopes: z.array(z.string().min(1)).optional(),
  identity: z.enum(['shared', 'per-caller']).optional(),
  resource: z.enum(['send', 'omit']).optional(),
  /** `code`: browser; `device`: browser on another device; the others: without a person. */
  flow: z.enum(['code', 'device', 'client', 'workload', 'enterprise']).optional(),
  workload: z.strictObject(keptToken).optional(),
  identityProvider: z
    .strictObject({
      ...keptToken,
      url: httpUrl,
      clientId: z.string().min(1),
      clientSecret: z.string().min(1).optional(),
    })
    .optional(),
  /** PEM or JWK, for a client that authenticates with a signature. */
  privateKey: z.string().min(1).optional(),
  /** Port of a manually registered redirect URL. */
  redirectPort: z.int().min(1).max(65_535).optional(),
  dpop: z.boolean().optional(),
});

const serverSchema = z
  .strictObject({
    enabled: z.boolean().default(true),
    url: httpUrl.optional(),
    transport: z.enum(['http', 'stdio']).optional(),
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).superRefine(refuseForbidden).default({}),
    cwd: z.string().optional(),
    apiKey: z.string().min(1).optional(),
    headers: z.record(z.string(), z.string()).default({}),
    toolPrefix: z
      .string()
      .refine(isPrefix, { error: `a prefix is empty or ${prefixRule}` })
      .optional(),
    connectTimeoutMs: milliseconds.default(10_000),
    requestTimeoutMs: milliseconds.default(30_000),
    start: z.enum(['eager', 'lazy']).default('eager'),
    isolation: z.enum(['shared', 'caller', 'session']).default('shared'),
    roots: z.enum(['auto', 'pass', 'never']).default('auto'),
    trust: trust.default('pin'),
    toolFilter: toolFilterSchema.default({}),
    policy: toolPolicy.optional(),
    /** OpenClaw agents that may use it; absent: all. */
    agents: z.array(z.string().min(1)).optional(),
    auth: authSchema.optional(),
  })
  .superRefine((server, context) => {
    const isStdio = (server.transport ?? (server.command === undefined ? 'http' : 'stdio')) === 'stdio';
    if (isStdio && server.command === undefined)
      context.addIssue({ code: 'custom', path: ['command'], message: 'a stdio server needs a command' });
    if (!isStdio && server.url === undefined)
      context.addIssue({ code: 'custom', path: ['url'], message: 'an HTTP server needs a url' });
    if (isStdio && server.url !== undefined)
      context.addIssue({ code: 'custom', path: ['url'], message: 'a stdio server takes no url' });
    if (!isStdio && server.command !== undefined)
      context.addIssue({ code: 'custom', path: ['command'], message: 'an HTTP server takes no command' });
  });

/** Settings of a server that can change without a new connection. */
export const SOFT_SETTINGS = [
  'enabled',
  'toolPrefix',
  'start',
  'trust',
  'toolFilter',
  'policy',
  'agents',
] as const satisfies readonly (keyof z.output<typeof serverSchema>)[];

/** Half of the longest possible string, and a quarter of the longest possible timer. */
const MAX_LIMIT = 500_000_000;

const limitNames = Object.keys(DEFAULT_LIMITS) as (keyof typeof DEFAULT_LIMITS)[];
const limitsSchema = z.partialRecord(z.enum(limitNames), z.int().min(1).max(MAX_LIMIT));

const storeSchema = z.strictObject({
  /** How long finished calls are kept. */
  keepDays: z.number().min(0.01).max(3_650).default(30),
  keepMegabytes: z.int().min(1).max(100_000).default(500),
  arguments: z.enum(['redacted', 'none']).default('redacted'),
  /** Number of daily copies of state.sqlite; 0 switches them off. */
  keepCopies: z.int().min(0).max(365).default(7),
  /** Hours between two checks of all files; 0 switches them off. */
  checkHours: z.number().min(0).max(8_760).default(24),
});

/** OTLP over HTTP with JSON; off without an endpoint. */
const telemetrySchema = z.strictObject({
  endpoint: httpUrl.optional(),
  headers: z.record(z.string(), z.string()).default({}),
  traces: z.boolean().default(true),
  metrics: z.boolean().default(true),
  intervalMs: milliseconds.default(60_000),
  /** Share of calls that are traced. */
  sample: z.number().min(0).max(1).default(1),
});

/** The URL is the client id and is compared byte for byte, so it must be in normalized form. */
const metadataUrl = z
  .url({ protocol: /^https$/ })
  .refine((text) => text === URL.parse(text)?.href && URL.parse(text)?.pathname !== '/', {
    error: 'must be an https URL with a path, in normalized form',
  });

/** The OpenClaw agent behind `order_openclaw`. */
const agentSchema = z.strictObject({
  /** Absent: enabled if OpenClaw is found. */
  enabled: z.boolean().optional(),
  /** `auto`: the gateway, or OpenClaw's program if no gateway is running on this machine. */
  backend: z.enum(['auto', 'gateway', 'local']).default('auto'),
  gatewayUrl: z.string().min(1).optional(),
  /** The command that runs OpenClaw. */
  command: z.array(z.string().min(1)).min(1).default(['openclaw']),
  /** Whether a message such as `/status` is executed as a command of OpenClaw. */
  commands: z.boolean().default(false),
  /** Agents that callers may choose, `*` for all. If empty, the tool has no such argument. */
  agents: z.array(z.string().min(1)).default([]),
  /** Converts speech to text. */
  transcription: transcriptionSchema.optional(),
  /** Whether to offer tools that ask later for the result of a long order. */
  orderStatus: z.boolean().default(false),
  policy: decision.optional(),
});

export const configSchema = z.strictObject({
  servers: z.record(sourceName('a server'), serverSchema).default({}),
  device: deviceSchema.prefault({}),
  policy: z.strictObject({ default: decision.optional(), notify: z.boolean().default(true) }).prefault({}),
  agent: agentSchema.prefault({}),
  proxy: proxySchema.prefault({}),
  toolSurface: z.enum(['full', 'search', 'auto']).default('full'),
  maxConcurrentServers: z.int().min(1).default(20),
  /** Milliseconds; 0 switches it off. */
  toolDiscoveryInterval: z
    .int()
    .min(0)
    .max(24 * 3_600_000)
    .default(300_000),
  /** The URL of the document that `pincer client-metadata` prints. */
  signIn: z.strictObject({ clientMetadataUrl: metadataUrl.optional() }).default({}),
  store: storeSchema.prefault({}),
  telemetry: telemetrySchema.prefault({}),
  limits: limitsSchema.default({}),
  debug: z.boolean().default(false),
});

/** A server as configured. `shown`: its command or URL before references were resolved, without secrets. */
export type ServerConfig = z.output<typeof serverSchema> & {
  readonly shown: string;
  /** Identifies the server by its unresolved settings, so a changed secret does not make it another server. */
  readonly identity?: string;
  /** The file that defines it. */
  readonly origin?: 'config.json' | 'openclaw.json';
};
export type AgentConfig = z.output<typeof agentSchema>;
export type Config = Omit<z.output<typeof configSchema>, 'servers' | 'proxy'> & {
  /** Valid servers. */
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** Servers with invalid settings. */
  readonly failed: readonly FailedServer[];
  readonly proxy: ProxyConfig;
  /** All problems, including those of servers. Invalid settings are already switched off in this configuration. */
  readonly problems: readonly ConfigProblem[];
};
