/** The one source of the configuration's shape. */
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

/** Variables that make a program run other code than its own. */
function refuseForbidden(env: Record<string, string>, context: z.RefinementCtx): void {
  for (const name of Object.keys(env))
    if (isForbiddenVariable(name, process.platform))
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'is not passed on to servers: it would make them run other code than their own',
      });
}

/** Names of tools, `*` matches the rest; what is excluded is excluded, even if it is included. */
const toolFilterSchema = z.strictObject({
  include: z.array(z.string().min(1)).optional(),
  exclude: z.array(z.string().min(1)).optional(),
});

/** As it is written, or in a file that is read each time. */
const keptToken = { token: z.string().min(1).optional(), file: z.string().min(1).optional() };

const authSchema = z.strictObject({
  clientId: z.string().min(1).optional(),
  clientSecret: z.string().min(1).optional(),
  authorizationServerUrl: httpUrl.optional(),
  scopes: z.array(z.string().min(1)).optional(),
  identity: z.enum(['shared', 'per-caller']).optional(),
  resource: z.enum(['send', 'omit']).optional(),
  /** With a browser, with one on another device, or by Pincer itself in one of three ways. */
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
  /** PEM or JWK, of a client that proves itself by signing. */
  privateKey: z.string().min(1).optional(),
  /** Of the redirect address that was registered by hand. */
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
    /** Those of OpenClaw that may use it; absent: all. */
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

/** Settings of a server that its connection does not depend on: a change keeps the connection. */
export const SOFT_SETTINGS = [
  'enabled',
  'toolPrefix',
  'start',
  'trust',
  'toolFilter',
  'policy',
  'agents',
] as const satisfies readonly (keyof z.output<typeof serverSchema>)[];

/** Half of the longest string, and no timer can be set for longer than four times this. */
const MAX_LIMIT = 500_000_000;

const limitNames = Object.keys(DEFAULT_LIMITS) as (keyof typeof DEFAULT_LIMITS)[];
const limitsSchema = z.partialRecord(z.enum(limitNames), z.int().min(1).max(MAX_LIMIT));

const storeSchema = z.strictObject({
  /** What is kept of finished calls. */
  keepDays: z.number().min(0.01).max(3_650).default(30),
  keepMegabytes: z.int().min(1).max(100_000).default(500),
  arguments: z.enum(['redacted', 'none']).default('redacted'),
  /** Daily copies of state.sqlite; zero: none. */
  keepCopies: z.int().min(0).max(365).default(7),
  /** Between two checks of all files; zero: none. */
  checkHours: z.number().min(0).max(8_760).default(24),
});

/** OTLP over HTTP with JSON, off unless an endpoint is named. */
const telemetrySchema = z.strictObject({
  endpoint: httpUrl.optional(),
  headers: z.record(z.string(), z.string()).default({}),
  traces: z.boolean().default(true),
  metrics: z.boolean().default(true),
  intervalMs: milliseconds.default(60_000),
  /** Share of calls that are traced. */
  sample: z.number().min(0).max(1).default(1),
});

/** The address is the client's id, byte for byte: nothing in it may be written in another way. */
const metadataUrl = z
  .url({ protocol: /^https$/ })
  .refine((text) => text === URL.parse(text)?.href && URL.parse(text)?.pathname !== '/', {
    error: 'must be an https address with a path, written as browsers write it',
  });

/** The agent of OpenClaw's that `order_openclaw` asks. */
const agentSchema = z.strictObject({
  /** Absent: where OpenClaw is found. */
  enabled: z.boolean().optional(),
  /** `auto`: the gateway, and where none runs on this machine, OpenClaw itself. */
  backend: z.enum(['auto', 'gateway', 'local']).default('auto'),
  gatewayUrl: z.string().min(1).optional(),
  /** What runs OpenClaw itself. */
  command: z.array(z.string().min(1)).min(1).default(['openclaw']),
  /** Whether a message such as `/status` is a command of OpenClaw's. */
  commands: z.boolean().default(false),
  /** Those that callers may name, `*` for all; none: the argument is not there. */
  agents: z.array(z.string().min(1)).default([]),
  /** Who turns speech into text. */
  transcription: transcriptionSchema.optional(),
  /** Tools to come back with for what took longer. */
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
  /** Zero: never by itself. */
  toolDiscoveryInterval: z
    .int()
    .min(0)
    .max(24 * 3_600_000)
    .default(300_000),
  /** Where the document that `pincer client-metadata` prints is hosted. */
  signIn: z.strictObject({ clientMetadataUrl: metadataUrl.optional() }).default({}),
  store: storeSchema.prefault({}),
  telemetry: telemetrySchema.prefault({}),
  limits: limitsSchema.default({}),
  debug: z.boolean().default(false),
});

/** A server as configured, and what may be shown of where it is: the text before references were put in. */
export type ServerConfig = z.output<typeof serverSchema> & {
  readonly shown: string;
  /** What makes it the same server, as it is written: a secret that was changed makes it no other. */
  readonly identity?: string;
  /** The file that it stands in. */
  readonly origin?: 'config.json' | 'openclaw.json';
};
export type AgentConfig = z.output<typeof agentSchema>;
export type Config = Omit<z.output<typeof configSchema>, 'servers' | 'proxy'> & {
  /** Those that can be used. */
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** Those that cannot be used as they are written. */
  readonly failed: readonly FailedServer[];
  readonly proxy: ProxyConfig;
  /** Everything that is wrong, that of servers included. What is wrong is switched off here already. */
  readonly problems: readonly ConfigProblem[];
};
