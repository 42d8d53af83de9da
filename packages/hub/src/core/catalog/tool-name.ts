/**
 * `<server>__<tool>`: at most 64 characters of [A-Za-z0-9_-]. Injective, because a prefix has neither `__` nor a
 * trailing `_`: a name splits at its first `__`.
 */
export const MAX_TOOL_NAME = 64;
export const MAX_PREFIX = 30;

const PREFIX = /^(?!.*__)[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9-])?$/;
const SAFE = /^[A-Za-z0-9_-]+$/;

export const isPrefix = (prefix: string): boolean =>
  prefix === '' || (prefix.length <= MAX_PREFIX && PREFIX.test(prefix));

/** Returns the joined name if it is valid without changes. */
export function naturalName(prefix: string, tool: string): string | undefined {
  const name = prefix === '' ? tool : `${prefix}__${tool}`;
  return name.length <= MAX_TOOL_NAME && SAFE.test(name) ? name : undefined;
}

/** Returns a valid name for a tool whose joined name is too long, has other characters, or is taken. */
export function hashedName(prefix: string, tool: string, hash: string): string {
  const suffix = `_${hash}`;
  const cut = (whole: string): string => whole.slice(0, MAX_TOOL_NAME - suffix.length);
  // Without a prefix the name must not look prefixed.
  if (prefix === '') return cut(tool.replaceAll(/[^A-Za-z0-9-]+/g, '_')).replace(/_$/, '') + suffix;
  return cut(`${prefix}__${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, '_')) + suffix;
}
