import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isSecretSetting } from '../../../hub/src/config/clear-secret.ts';
import { pluginJsonSchema } from './config-schema.ts';
import { manifestText } from './manifest.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

interface Shape {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
}

/** The example of the proposal that this plugin was made for (docs/openclaw.md shows the same). */
const EXAMPLE = {
  servers: {
    tavily: { enabled: true, url: 'https://mcp.tavily.com/mcp', apiKey: 'tvly-xxxxx' },
    'github-mcp': {
      enabled: true,
      url: 'https://mcp.github.com/mcp',
      auth: { clientId: 'my-registered-client-id' },
    },
    'local-filesystem': {
      enabled: true,
      transport: 'stdio',
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', '/tmp'],
    },
    'private-corp-server': {
      enabled: true,
      url: 'https://mcp.internal.corp.com/mcp',
      auth: { clientId: 'openclaw-prod', clientSecret: 'secret-from-vault', scopes: ['read', 'write'] },
    },
  },
};

describe('openclaw.plugin.json', () => {
  it('is what the schemas say: `npm run manifest` writes it', () => {
    const { version } = json(read('package.json'));
    expect(read('openclaw.plugin.json')).toBe(manifestText(String(version)));
  });

  it('marks whatever may hold a secret', () => {
    const hints = json(manifestText('1.0.0'))['uiHints'] as Record<string, { sensitive?: boolean }>;
    const marked = Object.keys(hints).filter((path) => hints[path]?.sensitive === true);
    const secrets = textsIn(pluginJsonSchema())
      .filter((path) => path.includes('env') || path.includes('headers') || isSecret(path.at(-1)!))
      .map((path) => path.join('.'));
    expect(marked.toSorted()).toEqual(secrets.toSorted());
    expect(secrets).toContain('servers.*.apiKey');
  });
});

/** An address of a server is none. */
const isSecret = (name: string): boolean => isSecretSetting(name) && !name.endsWith('Url');

/** Where a text may stand; `*` is any name. */
function textsIn(schema: Shape, path: readonly string[] = []): string[][] {
  if (schema.type === 'string' && schema.enum === undefined) return [[...path]];
  const named = Object.entries(schema.properties ?? {});
  const any = typeof schema.additionalProperties === 'object' ? [['*', schema.additionalProperties]] : [];
  return [...named, ...(any as [string, Shape][])].flatMap(([key, inner]) => textsIn(inner, [...path, key]));
}

describe('the configuration as OpenClaw checks it', () => {
  const schema = z.fromJSONSchema(pluginJsonSchema());
  const accepts = (config: object): boolean => schema.safeParse(config).success;

  it('takes the example, and nothing at all', () => {
    expect(accepts(EXAMPLE)).toBe(true);
    expect(accepts({})).toBe(true);
  });

  it('takes references wherever a text may stand', () => {
    const auth = { authorizationServerUrl: '$ISSUER', clientSecret: '$secret:CLIENT' };
    expect(accepts({ servers: { any: { url: '${URL}', apiKey: '$secret:KEY', auth } } })).toBe(true);
  });

  it('refuses a setting that there is not', () => {
    expect(accepts({ server: {} })).toBe(false);
    expect(accepts({ servers: { any: { uri: 'https://example.com/mcp' } } })).toBe(false);
    expect(accepts({ toolsVia: 'magic' })).toBe(false);
  });

  it('fills nothing in that the person did not write', () => {
    expect(JSON.stringify(pluginJsonSchema())).not.toMatch(/"(?:default|format|pattern)":/);
  });
});
