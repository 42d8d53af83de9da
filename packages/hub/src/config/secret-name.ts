/** What a secret is called in the vault, after what it is for. */

/** As in owner/vault.ts. */
const MAX_SECRET_NAME = 64;

/** `github` and `api-key` make `GITHUB_API_KEY`; what begins with the server's name keeps its own. */
export function secretNameOf(server: string, key: string): string {
  const [ofServer, ofKey] = [capitals(server), capitals(key)];
  const isNamed = ofServer === '' || `${ofKey}_`.startsWith(`${ofServer}_`);
  const joined = isNamed ? ofKey : `${ofServer}_${ofKey}`;
  return joined.slice(0, MAX_SECRET_NAME).replace(/_+$/, '') || 'SECRET';
}

/**
 * For a setting such as `servers.docs.apiKey`, `DOCS_API_KEY`; a variable keeps its name: `GITHUB_TOKEN`. What belongs to no
 * server is called after all of its path: `PROXY_APP_TOKEN`.
 */
export function secretNameFor(setting: string): string {
  const [group, server = '', ...key] = setting.replaceAll(/\[\d+\]/g, '').split('.');
  if (group !== 'servers') return capitals(setting);
  return key[0] === 'env' ? key.slice(1).map(capitals).join('_') : secretNameOf(server, key.at(-1)!);
}

const capitals = (text: string): string =>
  text
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
