/**
 * What a tool is called in OpenClaw, and what it is at the hub. The host makes `<key>__<tool>` of [A-Za-z0-9_-], beginning
 * with a letter, at most 64 characters, a number behind it where two would be the same; hooks get it in lower case.
 */
export const MAX_NAME = 64;
const SEPARATOR = '__';

export const isOfServer = (toolName: string): boolean => toolName.indexOf(SEPARATOR) > 0;

/**
 * Keys have no `__` in them. One that another differs from in case alone may have got a number from the host: where the
 * configuration knows no such key, the tool counts as ours.
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

/** As models see it, where no other tool has that name. */
export function modelName(key: string, tool: string): string {
  const safe = tool.trim().replaceAll(/[^A-Za-z0-9_-]/g, '-') || 'tool';
  const named = /^[A-Za-z]/.test(safe) ? safe : `tool-${safe}`;
  return `${key}${SEPARATOR}${named}`.slice(0, MAX_NAME);
}

/** As hooks get it. */
export const hostName = (key: string, tool: string): string => modelName(key, tool).toLowerCase();

/** Returns undefined if none of these matches, or more than one may. */
export function findTool(toolName: string, key: string, tools: readonly string[]): string | undefined {
  const name = toolName.toLowerCase();
  const names = tools.map((tool) => hostName(key, tool));
  // Where some would have the same name, one with a number behind it may be any of them.
  if (/-\d+$/.test(name) && new Set(names).size < names.length) return undefined;
  const found = tools.filter((_, index) => names[index] === name);
  return found.length === 1 ? found[0] : undefined;
}
