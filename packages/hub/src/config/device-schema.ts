/** Settings of this machine as a source: its capabilities and its gateway. */
import { z } from 'zod';
import type { Environment } from '../lib/process.ts';
import { FINGERPRINT } from '../core/fingerprint.ts';
import { toolPolicy } from './common-rules.ts';

/** Capabilities that see or hear the person are off by default. */
const capabilitiesSchema = z.strictObject({
  system: z.boolean().default(true),
  /** `system.run` and its preparation. Each run also needs to pass exec-approvals.json. */
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

/** A fixed position of this machine, used instead of a measured one. */
const positionSchema = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  /** In metres. */
  accuracy: z.number().min(0).optional(),
});

/** In the browser's notation: no scheme, no path, and IPv6 addresses without brackets. */
const HOST_AND_PORT = /^[a-z0-9.:_-]+:\d{1,5}$/;

export const deviceSchema = z.strictObject({
  enabled: z.boolean().default(true),
  port: z.int().min(0).max(65_535).optional(),
  /** Whether the local listener serves this machine at `/`. */
  mcpServer: z.boolean().default(true),
  /** Whether it is a node of an OpenClaw gateway. */
  nodeMode: z.boolean().default(false),
  /** Its name at a gateway; absent: the host name. */
  name: z.string().min(1).max(100).optional(),
  /** The gateway of the node; absent: the gateway that `order_openclaw` uses. */
  gatewayUrl: z.string().min(1).optional(),
  /** SHA-256 of that gateway's certificate. Only this certificate is trusted. */
  gatewayFingerprint: z
    .string()
    .regex(FINGERPRINT, { error: 'must be the SHA-256 fingerprint of a certificate' })
    .optional(),
  /** Servers, or tools as `server.tool`, that the gateway's agents may use, too. */
  publish: z.array(z.string().min(1)).default([]),
  capabilities: capabilitiesSchema.prefault({}),
  position: positionSchema.optional(),
  /** The browser that canvas, camera and location may use. */
  browser: z
    .strictObject({
      args: z.array(z.string().startsWith('--')).default([]),
      /** `host:port` of non-public addresses that pages may reach. */
      allow: z
        .array(
          z.string().regex(HOST_AND_PORT, { error: 'must be a host and a port, such as localhost:3000' }),
        )
        .default([]),
    })
    .prefault({}),
  speech: z
    .strictObject({
      /** The default of `tts.speak`. If it is not available, `tts.speak` falls back to another one. */
      provider: z.enum(['piper', 'espeak-ng', 'spd-say', 'macos', 'windows']).optional(),
    })
    .prefault({}),
  policy: toolPolicy.optional(),
});

export type DeviceConfig = z.output<typeof deviceSchema>;
export type CapabilitySwitch = keyof DeviceConfig['capabilities'];
export const CAPABILITY_SWITCHES = Object.keys(capabilitiesSchema.shape) as readonly CapabilitySwitch[];

/** `PINCER_DEVICE=off` lets an operator forbid it for all hubs; `enabled` is the setting of one hub. */
export const isDeviceOffered = ({ enabled }: Pick<DeviceConfig, 'enabled'>, env: Environment): boolean =>
  enabled && env['PINCER_DEVICE'] !== 'off';
