/** What is known of each secret: when it was set, and which settings refer to it. */
import type { ReferenceUse } from '../../config/references.ts';
import type { SecretInfo } from '../../owner/vault.ts';

export interface SecretRow {
  readonly name: string;
  /** ISO 8601; undefined where the vault has none, or cannot open it. */
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  readonly usedBy: readonly string[];
  readonly state: 'ok' | 'unreadable' | 'missing';
  readonly problem: string | undefined;
  readonly hint: string | undefined;
}

/** Those that settings refer to and nobody has set come last. */
export function secretRows(secrets: readonly SecretInfo[], uses: readonly ReferenceUse[]): SecretRow[] {
  const usedBy = (name: string): string[] => [
    ...new Set(uses.filter((use) => use.name === name).map(({ path }) => path)),
  ];
  const known = secrets.map(({ name, createdAt, updatedAt, problem }): SecretRow => ({
    name,
    createdAt,
    updatedAt,
    usedBy: usedBy(name),
    state: problem === undefined ? 'ok' : 'unreadable',
    problem: problem?.message,
    hint: problem?.hint,
  }));
  const names = new Set(secrets.map(({ name }) => name));
  const missing = [...new Set(uses.map((use) => use.name))].filter((name) => !names.has(name));
  return [
    ...known,
    ...missing.map((name): SecretRow => ({
      name,
      createdAt: undefined,
      updatedAt: undefined,
      usedBy: usedBy(name),
      state: 'missing',
      problem: 'The configuration refers to it, but it is not set.',
      hint: `pincer secret set ${name}`,
    })),
  ];
}
