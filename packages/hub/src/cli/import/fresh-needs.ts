/** Secrets that a draft needs, under names that nobody has: what the vault holds already was never meant for it. */
import type { Need, ServerDraft } from '../../config/import/types.ts';
import { secretNameOf } from '../../config/secrets.ts';

export interface Needing {
  readonly draft: ServerDraft;
  readonly needs: readonly Need[];
}

/** A name that neither the vault nor a configuration has, and that was given to no other. */
export type FreshSecret = (wanted: string) => string;

export function freshNeeds(server: string, { draft, needs }: Needing, freshSecret: FreshSecret): Needing {
  if (needs.length === 0) return { draft, needs };
  const names = new Map(
    needs.map(({ secret }) => [secret, freshSecret(secretNameOf(server, secret))] as const),
  );
  return {
    draft: renamed(draft, names),
    needs: needs.map(({ secret, where }) => ({ secret: names.get(secret)!, where })),
  };
}

function renamed<T>(value: T, names: ReadonlyMap<string, string>): T {
  if (typeof value === 'string')
    // Two dollars are a dollar, and begin no reference.
    return value.replaceAll(/\$\$|\$\{secret:(\w+)\}/g, (all: string, name?: string) =>
      name === undefined ? all : `\${secret:${names.get(name) ?? name}}`,
    ) as T;
  if (Array.isArray(value)) return value.map((item) => renamed(item as unknown, names)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renamed(item, names)])) as T;
}
