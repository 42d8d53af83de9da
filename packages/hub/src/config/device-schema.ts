/** What of this machine can be used, and by whom. */
import { z } from 'zod';
import type { Environment } from '../lib/process.ts';
import { FINGERPRINT } from '../core/fingerprint.ts';
import { toolPolicy } from './common-rules.ts';

/** Whatever sees or hears the person is off until they switch it on. */
const capabilitiesSchema = z.strictObject({
  system: z.boolean().default(true),
  /** `system.run` and what prepares it; each run is subject to exec-approvals.json besides. */
  systemRun: z.boolean().default(true),
  screen: z.boolean().default(false),
  canvas: z.boolean().default(true),
  camera: z.boolean().default(false),
  location: z.boolean().default(false),
  tts: z.boolean().default(true),
  device: z.boolean().default(true),
  clipboard: z.boolean().default(false),
  app: z.boolean().default(true),
});

/** Where this machine is, for people who know it better than their machine does. */
const positionSchema = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  /** In metres. */
  accuracy: z.number().min(0).optional(),
});

/** As the browser writes them: without a scheme or a path, an IPv6 address without brackets. */
const HOST_AND_PORT = /^[a-z0-9.:_-]+:\d{1,5}$/;

export const deviceSchema = z.strictObject({
  enabled: z.boolean().default(true),
  port: z.int().min(0).max(65_535).optional(),
  /** Whether `/` of the local listener serves it. */
  mcpServer: z.boolean().default(true),
  /** Whether it is a node of a gateway of OpenClaw. */
  nodeMode: z.boolean().default(false),
  /** What a gateway calls it; absent: the name of the machine. */
  name: z.string().min(1).max(100).optional(),
  /** The gateway that it is a node of; absent: the one that `order_openclaw` asks. */
  gatewayUrl: z.string().min(1).optional(),
  /** SHA-256 of that gateway's certificate: this one is trusted, and no other. */
  gatewayFingerprint: z
    .string()
    .regex(FINGERPRINT, { error: 'must be the SHA-256 fingerprint of a certificate' })
    .optional(),
  /** Servers, or tools as `server.tool`, that the gateway's agents get as well. */
  publish: z.array(z.string().min(1)).default([]),
  capabilities: capabilitiesSchema.prefault({}),
  position: positionSchema.optional(),
  /** The browser that canvas, camera and location may use. */
  browser: z
    .strictObject({
      args: z.array(z.string().startsWith('--')).default([]),
      /** `host:port` that pages may reach although it is not public. */
      allow: z
        .array(z.string().regex(HOST_AND_PORT, { error: 'must be a host and a port, as in localhost:3000' }))
        .default([]),
    })
    .prefault({}),
  speech: z
    .strictObject({
      /** What `tts.speak` uses where the caller names nothing; another takes its place where it cannot. */
      provider: z.enum(['piper', 'espeak-ng', 'spd-say', 'macos', 'windows']).optional(),
    })
    .prefault({}),
  policy: toolPolicy.optional(),
});

export type DeviceConfig = z.output<typeof deviceSchema>;
export type CapabilitySwitch = keyof DeviceConfig['capabilities'];
export const CAPABILITY_SWITCHES = Object.keys(capabilitiesSchema.shape) as readonly CapabilitySwitch[];

/** An operator says no for all whom they run a hub for; whoever configures one, for themselves. */
export const isDeviceOffered = ({ enabled }: Pick<DeviceConfig, 'enabled'>, env: Environment): boolean =>
  enabled && env['PINCER_DEVICE'] !== 'off';
