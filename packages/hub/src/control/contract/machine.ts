/** Responses about this machine, its node, and the sessions of apps. Times are in milliseconds since 1970. */
import { z } from 'zod';

const names = z.array(z.string()).readonly();

const backendReport = z.object({
  /** A name of `device.capabilities`. */
  switch: z.string(),
  enabled: z.boolean(),
  commands: names,
  available: z.boolean(),
  backend: z.string().optional(),
  /** What is missing; if it is available, why it may not work. */
  reason: z.string().optional(),
  hint: z.string().optional(),
  /** A policy rule denies the commands. They stay listed, so that callers learn of the rule. */
  isRule: z.boolean().optional(),
});

const capabilityReport = z.object({ category: z.string(), states: z.array(backendReport).readonly() });

/** This node's connection state with its gateway. */
const nodeReport = z.object({
  is: z.enum(['off', 'connecting', 'pending', 'paired', 'connected', 'backoff']),
  since: z.number(),
  /** The gateway's URL, without secrets. */
  gateway: z.string().optional(),
  /** The version of OpenClaw there. */
  version: z.string().optional(),
  reason: z.string().optional(),
  /** The next step. */
  hint: z.string().optional(),
  /** The request that a person has to approve on the gateway. */
  requestId: z.string().optional(),
  nextTryAt: z.number().optional(),
  /** `usable`: the commands that the gateway allows now. */
  commands: z.object({ declared: names, usable: names }).optional(),
});

export const deviceReport = z.object({
  /** False if the running hub does not offer this machine. The members below are absent then. */
  isOffered: z.boolean(),
  /** The hub would offer it if this machine were a node of a gateway. */
  isOfferedWhenPaired: z.boolean().optional(),
  /** Served at `/` of the local listener. */
  mcpServer: z.boolean().optional(),
  nodeMode: z.boolean().optional(),
  capabilities: z.array(capabilityReport).readonly().optional(),
  /** Absent if this machine is not a node. */
  node: nodeReport.optional(),
});

const bridgeReport = z.object({
  connectedAt: z.number(),
  /** Time of the app's last message, including answers to pings. */
  lastHeardAt: z.number(),
  /** The app has sent its hello. */
  saysHello: z.boolean(),
});

const appSession = z.object({
  id: z.string(),
  app: z.string(),
  deviceId: z.string().optional(),
  deviceName: z.string().optional(),
  appVersion: z.string().optional(),
  chatId: z.string().optional(),
  /** Names of tools. */
  tools: names,
  bridge: bridgeReport.optional(),
  /** Time of its last call, or of the last change of its bridge. */
  lastUsedAt: z.number(),
  callsInFlight: z.number(),
  /** Calls that wait for the bridge. */
  callsWaiting: z.number(),
});

export const appSessions = z.object({
  /** False if this hub runs no app proxy. */
  hasProxy: z.boolean(),
  sessions: z.array(appSession).readonly(),
});

export type DeviceReport = z.output<typeof deviceReport>;
export type NodeReport = z.output<typeof nodeReport>;
export type CapabilityReport = z.output<typeof capabilityReport>;
export type BackendReport = z.output<typeof backendReport>;
export type AppSessions = z.output<typeof appSessions>;
export type AppSessionReport = z.output<typeof appSession>;
