/**
 * What all evaluations of this plugin in one process share. OpenClaw evaluates the module more than once (services and
 * commands in one, agent turns in another), so module variables would be several sets.
 */
import { VERSION } from 'pincer/client';

/** Another version, after an update, does not go on with the code of this one. */
const KEY = Symbol.for(`pincer.openclaw-plugin ${VERSION}`);
const shared = globalThis as unknown as { [KEY]?: Map<string, unknown> };

/** One of its kind for each state folder in this process, whoever asks first. */
export function sharedFor<T>(kind: string, home: string, create: () => T): T {
  const all = (shared[KEY] ??= new Map());
  const key = `${kind} ${home}`;
  if (!all.has(key)) all.set(key, create());
  return all.get(key) as T;
}
