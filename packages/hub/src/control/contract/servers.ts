/** Requests about servers: their configuration, their offers, and held tools. */
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../../core/errors.ts';
import { heldTool, reportedProblem } from './status.ts';

const names = z.array(z.string()).readonly();

export const addServerBody = z.strictObject({
  name: z.string(),
  config: z.unknown(),
  /** How long the first connection may take. */
  timeoutMs: z.int().positive().optional(),
  /** Used by `POST servers/cancel`. */
  id: z.string().optional(),
});

/** Sent while a new server starts. */
export const addServerEvent = z.union([z.object({ stderr: z.string() }), z.object({ step: z.string() })]);

export const reloadReport = z.object({
  added: names,
  removed: names,
  changed: names,
  unchanged: names,
  /** Servers with invalid settings. */
  failed: names.optional(),
  /** Changed settings that take effect only after a restart. */
  needsRestart: names,
});

export const errorCode = z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]);

/** A problem in a configuration that is not written yet. */
export const configProblem = reportedProblem.extend({ code: errorCode });

/** What a server offered when the hub last asked it. */
export const offerReport = z.object({
  name: z.string(),
  /** False if the server has never answered. */
  isKnown: z.boolean(),
  era: z.string().optional(),
  serverInfo: z.object({ name: z.unknown().optional(), version: z.unknown().optional() }).optional(),
  instructions: z.string().optional(),
  tools: names,
  prompts: names,
  resources: names,
  templates: names,
  /** Whether it declares prompts and resources, even if it lists none. */
  hasPrompts: z.boolean().optional(),
  hasResources: z.boolean().optional(),
});

export const probeReport = offerReport.extend({ ms: z.number() });

/** The server's own definition. It may have more members. */
const toolDefinition = z.object({
  description: z.string().optional(),
  inputSchema: z.unknown().optional(),
  outputSchema: z.unknown().optional(),
  execution: z.object({ taskSupport: z.string().optional() }).optional(),
  annotations: z.record(z.string(), z.unknown()).readonly().optional(),
  _meta: z.record(z.string(), z.unknown()).readonly().optional(),
});

export const toolReport = z.object({
  server: z.string(),
  name: z.string(),
  /** Its name on `/mcp`, beside the tools of other servers. */
  exposed: z.string().optional(),
  definition: toolDefinition,
});

/** A URI or template that several servers list; requests for it go to the first. */
export const resourceClash = z.object({ uri: z.string(), servers: names });

const definitionChange = z.object({
  /** The path of the change, such as `inputSchema.properties.path.type`; empty for the whole definition. */
  path: z.string(),
  /** The first line of a long text that differs, counted from 1. */
  line: z.number().optional(),
  before: z.string().optional(),
  after: z.string().optional(),
});

export const heldReport = heldTool.extend({
  digest: z.string(),
  changes: z.array(definitionChange).readonly(),
});

export const acceptBody = z.strictObject({
  server: z.string(),
  tool: z.string().optional(),
  /** Digests of the definitions that the person has seen. The hub does not accept a tool that has changed since. */
  seen: z.array(z.string()).readonly(),
});

export type OfferReport = z.output<typeof offerReport>;
export type ProbeReport = z.output<typeof probeReport>;
export type ToolReport = z.output<typeof toolReport>;
export type ToolDefinition = z.output<typeof toolDefinition>;
export type ReloadReport = z.output<typeof reloadReport>;
export type CheckedProblem = z.output<typeof configProblem>;
export type ResourceClash = z.output<typeof resourceClash>;
export type DefinitionChange = z.output<typeof definitionChange>;
export type HeldReport = z.output<typeof heldReport>;
