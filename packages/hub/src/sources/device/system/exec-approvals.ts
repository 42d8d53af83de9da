/** `system.execApprovals.get` and `.set`: the policy of what may run, for a gateway that shows and tightens it. */
import { z } from 'zod';
import type { ApprovalsStore } from '../exec/policy/approvals-store.ts';
import { applyRemoteChange, shownPolicy } from '../exec/policy/remote-change.ts';
import { needed } from '../registry/arguments.ts';
import type { Command, Payload } from '../registry/capability.ts';

const OUTPUT = z.object({
  path: z.string().describe('Where the file is.'),
  exists: z.boolean().describe('Whether there is one.'),
  hash: z.string().describe('Of the file as it is, to be given back with a change.'),
  file: z.looseObject({ version: z.literal(1) }).describe('What it says.'),
});
/** Of the one form or of the other: a schema of a tool is one object. */
const EITHER_OUTPUT = OUTPUT.partial({ path: true, exists: true, file: true }).extend({
  enabled: z.literal(true).optional().describe('Here and below: only where exec-policy.json is in force.'),
  baseHash: z.string().optional().describe('The same as "hash".'),
  defaultAction: z.enum(['allow', 'deny', 'prompt']).optional().describe('For what no rule is about.'),
  constraints: z.record(z.string(), z.boolean()).optional().describe('What a change may not do.'),
  rules: z
    .array(z.looseObject({ pattern: z.string(), action: z.string() }))
    .optional()
    .describe('Of which the first that fits counts.'),
});
const NOTHING = z.object({});
const CHANGE = z.object({
  baseHash: z
    .unknown()
    .optional()
    .meta({ type: 'string' })
    .describe('Required, under this name or base_hash: "hash" of what system.execApprovals.get gave.'),
  base_hash: z.unknown().optional().meta({ type: 'string' }).describe('The same.'),
  file: needed(
    z
      .unknown()
      .optional()
      .meta({
        type: 'object',
        properties: { version: { const: 1 } },
        required: ['version'],
        additionalProperties: true,
      })
      .describe('The whole file as it is to be.'),
  ),
  rules: z.unknown().optional().describe('Refused: rules are read from exec-policy.json alone.'),
});

export const getApprovals = (store: ApprovalsStore): Command<typeof NOTHING> => ({
  description:
    'Gives back the policy of what system.run may run: {path, exists, hash, file}, or {enabled, hash, baseHash, defaultAction, constraints, rules} where exec-policy.json is in force. Secrets in it are not shown.',
  input: NOTHING,
  output: EITHER_OUTPUT,
  annotations: { title: 'Show the exec policy', readOnlyHint: true },
  run: (): Payload => ({ ...shownPolicy(store) }),
});

export const setApprovals = (store: ApprovalsStore): Command<typeof CHANGE> => ({
  description:
    'Makes the policy of what system.run may run stricter; never looser. Arguments: baseHash (the hash that system.execApprovals.get gave), file. Gives back {path, exists, hash, file}.',
  input: CHANGE,
  output: OUTPUT,
  example: { baseHash: '…', file: { version: 1, defaults: { security: 'deny' } } },
  annotations: { title: 'Tighten the exec policy', readOnlyHint: false, destructiveHint: false },
  run: ({ baseHash, base_hash, file, rules }): Payload => ({
    ...applyRemoteChange(store, { baseHash: baseHash ?? base_hash, file, rules }),
  }),
});
