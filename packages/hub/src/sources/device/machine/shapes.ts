/** What `device.info` and `device.status` give back. */
import { z } from 'zod';

const text = z.string();
const number = z.number();

export const INFO = z.object({
  deviceName: text,
  modelIdentifier: text,
  systemName: text,
  systemVersion: text,
  appVersion: text,
  appBuild: text,
  locale: text,
});

const FAILED = z.object({ error: text });

const DRIVE = z.object({
  name: text,
  label: text,
  totalBytes: number,
  freeBytes: number,
  usagePercent: number,
  format: text,
});

export const STATUS = z.object({
  collectedAt: text,
  os: z
    .object({ version: text, architecture: text, machineName: text, uptimeSeconds: number })
    .or(FAILED)
    .optional(),
  cpu: z
    .object({ name: text.nullable(), logicalProcessors: number, usagePercent: number.nullable() })
    .or(FAILED)
    .optional(),
  memory: z
    .object({ totalBytes: number, availableBytes: number, usagePercent: number })
    .or(FAILED)
    .optional(),
  disk: z
    .object({ drives: z.array(DRIVE) })
    .or(FAILED)
    .optional(),
  battery: z.object({
    level: number.nullable().describe('In percent.'),
    state: text,
    lowPowerModeEnabled: z.boolean(),
    present: z.boolean().optional(),
    chargePercent: number.nullable().optional(),
    isCharging: z.boolean().optional(),
    estimatedMinutesRemaining: number.nullable().optional(),
    error: text.optional(),
  }),
  thermal: z.object({ state: text }),
  storage: z.object({ totalBytes: number, freeBytes: number, usedBytes: number }).or(FAILED),
  network: z
    .object({
      status: text,
      isExpensive: z.boolean(),
      isConstrained: z.boolean(),
      interfaces: z.array(text),
    })
    .or(FAILED),
  uptimeSeconds: number,
});
