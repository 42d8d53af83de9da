/** Rules that several settings have in common. */
import { z } from 'zod';
import { ANONYMOUS_APP, SHARED_APP } from '../core/app-names.ts';
import { AGENT_SOURCE, DEVICE_SOURCE } from '../core/caller.ts';
import { isPrefix, MAX_PREFIX } from '../core/catalog/tool-name.ts';

export const prefixRule = `at most ${MAX_PREFIX} of A-Z a-z 0-9 _ -, beginning with a letter or digit, no "__", no "_" at the end`;

/** A name that tools are prefixed with: of a server or an app. */
export const sourceName = (kind: string, reserved: ReadonlySet<string> = RESERVED_NAMES): z.ZodString =>
  z
    .string()
    .refine((name) => name !== '' && isPrefix(name), { error: `${kind} name is ${prefixRule}` })
    .refine((name) => !reserved.has(name), { error: 'this name is reserved' });

export const decision = z.enum(['allow', 'ask', 'deny']);
export const trust = z.enum(['ask', 'pin', 'always']);
export const toolPolicy = z.record(z.string(), decision);

/** Names that Pincer uses itself, or may use later. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([DEVICE_SOURCE, AGENT_SOURCE, SHARED_APP]);

/** Also reserves the name of callers without a token, if these are allowed. */
export const RESERVED_APP_NAMES: ReadonlySet<string> = new Set([...RESERVED_NAMES, ANONYMOUS_APP]);
