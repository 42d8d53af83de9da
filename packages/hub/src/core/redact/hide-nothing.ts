/** For what a person must see in full: a command, in which anything that looks like a secret may be what it runs. */
import type { Hiding } from './redact-secrets.ts';

const asItIs = (text: string): string => text;

export const NOTHING: Hiding = { inText: asItIs, inSecret: asItIs };
