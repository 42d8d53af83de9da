/** `exec-approvals.json`, as the nodes of OpenClaw share it. What is not known here is kept as it is. */
import { z } from 'zod';

export const SECURITIES = ['deny', 'allowlist', 'full'] as const;
export type Security = (typeof SECURITIES)[number];
/** From the one that asks least to the one that lets least through. */
export const ASKS = ['off', 'on-miss', 'always', 'deny'] as const;
export type Ask = (typeof ASKS)[number];

/** What `askFallback` was called before it had the words of `security`. */
const OLD_FALLBACKS: Readonly<Record<string, Security>> = {
  off: 'full',
  'on-miss': 'allowlist',
  always: 'deny',
};

const operand = z.union([
  z.strictObject({ path: z.string(), sha256: z.string() }),
  z.strictObject({ path: z.string(), stamp: z.string() }),
]);

const entry = z.looseObject({
  id: z.string().optional(),
  pattern: z.string(),
  argPattern: z.string().optional(),
  source: z.string().optional(),
  /** Ours: what the files of the command must be (bound-files.ts). */
  filesHash: z.string().optional(),
  /** Ours, for `pincer device`: the command that it was written for, its folder, and the files behind `filesHash`. */
  argv: z.array(z.string()).min(1).optional(),
  cwd: z.string().optional(),
  files: z.array(operand).optional(),
  commandText: z.string().optional(),
});

const settings = {
  security: z.enum(SECURITIES).optional(),
  ask: z.enum(ASKS).optional(),
  askFallback: z
    .string()
    .transform((value) => (Object.hasOwn(OLD_FALLBACKS, value) ? OLD_FALLBACKS[value] : value))
    .pipe(z.enum(SECURITIES))
    .optional(),
  autoAllowSkills: z.boolean().optional(),
};

const agent = z.looseObject({
  ...settings,
  // Older files have entries that are just a pattern.
  allowlist: z
    .array(
      z
        .union([z.string(), entry])
        .transform((each): z.output<typeof entry> => (typeof each === 'string' ? { pattern: each } : each)),
    )
    .optional(),
});

const file = z.looseObject({
  version: z.literal(1),
  socket: z.looseObject({ path: z.string().optional(), token: z.string().optional() }).optional(),
  defaults: z.looseObject(settings).optional(),
  agents: z.record(z.string(), agent).optional(),
});

export type PolicyFile = z.output<typeof file>;
export type AllowlistEntry = z.output<typeof entry>;

export const EMPTY_POLICY: PolicyFile = { version: 1 };

export type ParsedPolicy = { readonly file: PolicyFile } | { readonly problem: 'version' | 'shape' };

export function parsePolicy(value: unknown): ParsedPolicy {
  const parsed = file.safeParse(value);
  if (parsed.success) return { file: parsed.data };
  return { problem: parsed.error.issues.some(({ path }) => path[0] === 'version') ? 'version' : 'shape' };
}
