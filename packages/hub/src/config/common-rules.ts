/** Rules that several settings have in common. */
import { z } from 'zod';
import { isPrefix, MAX_PREFIX } from '../core/catalog/tool-name.ts';
import { RESERVED_NAMES } from './reserved-names.ts';

export const prefixRule = `at most ${MAX_PREFIX} of A-Z a-z 0-9 _ -, beginning with a letter or digit, no "__", no "_" at the end`;

/** What tools are called after: a server, or an app. */
export const sourceName = (kind: string, reserved: ReadonlySet<string> = RESERVED_NAMES): z.ZodString =>
  z
    .string()
    .refine((name) => name !== '' && isPrefix(name), { error: `${kind} name is ${prefixRule}` })
    .refine((name) => !reserved.has(name), { error: 'this name is reserved' });

export const decision = z.enum(['allow', 'ask', 'deny']);
export const trust = z.enum(['ask', 'pin', 'always']);
export const toolPolicy = z.record(z.string(), decision);
