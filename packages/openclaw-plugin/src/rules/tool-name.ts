/**
 * Translates between the names of tools in OpenClaw and at the hub. The host makes `<key>__<tool>` of [A-Za-z0-9_-]. It
 * begins with a letter, has at most 64 characters, and a number if two names would be equal. Hooks get it in lower case.
 */
export const MAX_NAME = 64;
const SEPARATOR = '__';

export const isOfServer = (toolName: string): boolean => toolName.indexOf(SEPARATOR) > 0;

/**
 * Finds the entry of a tool. Keys contain no `__`. The host may number a key that differs from another only in case, so a
 * numbered key that the configuration does not have counts as ours.
 */
export function entryOf<T extends { readonly key: string }>(
  toolName: string,
  entries: readonly T[],
  isKey: (key: string) => boolean = () => false,
): T | undefined {
  if (!isOfServer(toolName)) return undefined;
  const key = toolName.slice(0, toolName.indexOf(SEPARATOR)).toLowerCase();
  const named = entries.find((entry) => entry.key.toLowerCase() === key);
  if (named !== undefined || isKey(key)) return named;
  const [, unnumbered] = /^(.+)-\d+$/.exec(key) ?? [];
  return entries.find((entry) => entry.key.toLowerCase() === unnumbered);
}

/** The name that models see, unless another tool has the same name. */
export function modelName(key: string, tool: string): string {
  const safe = tool.trim().replaceAll(/[^A-Za-z0-9_-]/g, '-') || 'tool';
  const named = /^[A-Za-z]/.test(safe) ? safe : `tool-${safe}`;
  return `${key}${SEPARATOR}${named}`.slice(0, MAX_NAME);
}

/** The name that hooks get. */
export const hostName = (key: string, tool: string): string => modelName(key, tool).toLowerCase();

/** Returns undefined if none of these matches, or more than one may. */
export function findTool(toolName: string, key: string, tools: readonly string[]): string | undefined {
  const name = toolName.toLowerCase();
  const names = tools.map((tool) => hostName(key, tool));
  // If two tools have the same name, a numbered name may be any of them.
  if (/-\d+$/.test(name) && new Set(names).size < names.length) return undefined;
  const found = tools.filter((_, index) => names[index] === name);
  return found.length === 1 ? found[0] : undefined;
}
