import { checkConfig } from '../../config/check.ts';
import type { ServerDraft } from '../../config/import/types.ts';
import { referencesIn } from '../../config/references.ts';

/** Why the configuration would refuse this server. What it refers to is taken for given. */
export function checkServer(name: string, draft: ServerDraft): string | undefined {
  const uses = referencesIn(draft);
  const env = Object.fromEntries(uses.map((use) => [use.name, 'x']));
  // A URL out of a variable can be judged when the variable is known, which is when the hub starts.
  const isUrlOpen = uses.some(({ kind, path }) => kind === 'variable' && path === 'url');
  const judged = isUrlOpen ? { ...draft, url: 'https://example.com/mcp' } : draft;
  const { issues } = checkConfig({ servers: { [name]: judged } }, { env, secret: () => 'x' });
  if (issues.length === 0) return undefined;
  return `${issues.map(({ message }) => message.replace(`servers.${name}.`, '')).join('; ')}.`;
}
