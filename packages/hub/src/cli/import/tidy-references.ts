/** `$NAME` where a string is one reference and nothing else, as a person would write it. */
export function tidyReferences<T>(value: T): T {
  if (typeof value === 'string') return value.replace(/^\$\{((?:secret:)?\w+)\}$/, '$$$1') as T;
  if (Array.isArray(value)) return value.map((item) => tidyReferences(item as unknown)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, tidyReferences(item)])) as T;
}
