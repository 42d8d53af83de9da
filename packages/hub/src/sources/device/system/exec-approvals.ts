/** `system.execApprovals.get` and `.set`: the policy of what may run, for a gateway that shows and tightens it. */
import { z } from 'zod';
import type { ApprovalsStore, Snapshot } from '../exec/policy/approvals-store.ts';
import { applyRemoteChange, currentOf, shown } from '../exec/policy/remote-change.ts';
import { needed } from '../registry/arguments.ts';
import type { Command, Payload } from '../registry/capability.ts';

const OUTPUT = z.object({
  path: z.string().describe('Where the file is.'),
  exists: z.boolean().describe('Whether there is one.'),
  hash: z.string().describe('Of the file as it is, to be given back with a change.'),
  file: z.looseObject({ version: z.literal(1) }).describe('What it says.'),
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

const payload = ({ path, exists, hash, file }: Snapshot): Payload => ({ path, exists, hash, file });

export const getApprovals = (store: ApprovalsStore): Command<typeof NOTHING> => ({
  description:
    'Gives back the policy of what system.run may run: {path, exists, hash, file}. Secrets in it are not shown.',
  input: NOTHING,
  output: OUTPUT,
  annotations: { title: 'Show the exec policy', readOnlyHint: true },
  run: () => payload(shown(currentOf(store))),
});

export const setApprovals = (store: ApprovalsStore): Command<typeof CHANGE> => ({
  description:
    'Makes the policy of what system.run may run stricter; never looser. Arguments: baseHash (the hash that system.execApprovals.get gave), file. Gives back {path, exists, hash, file}.',
  input: CHANGE,
  output: OUTPUT,
  example: { baseHash: '…', file: { version: 1, defaults: { security: 'deny' } } },
  annotations: { title: 'Tighten the exec policy', readOnlyHint: false, destructiveHint: false },
  run: ({ baseHash, base_hash, file, rules }) =>
    payload(applyRemoteChange(store, { baseHash: baseHash ?? base_hash, file, rules })),
});
