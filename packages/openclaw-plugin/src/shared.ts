/**
 * State that all evaluations of this plugin in one process share. OpenClaw evaluates the module more than once (services
 * and commands in one, agent turns in another), so module variables are not shared.
 */
import { VERSION } from 'pincer/client';

/** By version: after an update, the new code must not use objects of the old one. */
const KEY = Symbol.for(`pincer.openclaw-plugin ${VERSION}`);
const shared = globalThis as unknown as { [KEY]?: Map<string, unknown> };

/** Returns the one object of a kind for each state folder in this process. */
export function sharedFor<T>(kind: string, home: string, create: () => T): T {
  const all = (shared[KEY] ??= new Map());
  const key = `${kind} ${home}`;
  if (!all.has(key)) all.set(key, create());
  return all.get(key) as T;
}
