/** What a path of keys leads to; undefined where something on the way is missing. What is inherited is not there. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let inner = value;
  for (const key of path)
    inner =
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined;
  return inner;
}
