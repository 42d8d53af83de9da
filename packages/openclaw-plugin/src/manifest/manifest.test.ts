import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EXAMPLE } from '../../../../test/kit/openclaw/example.ts';
import { verifies } from '../../../../test/verifies.ts';
import { manifestText, pluginJsonSchema } from './manifest.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

describe('openclaw.plugin.json', () => {
  it('matches the schemas: `npm run manifest` writes it', () => {
    verifies('004-6.2-schema');
    const { version } = json(read('package.json'));
    expect(read('openclaw.plugin.json')).toBe(manifestText(String(version)));
  });

  it('marks exactly the settings that may hold a secret', () => {
    const hints = json(manifestText('1.0.0'))['uiHints'] as Record<string, { sensitive?: boolean }>;
    const marked = Object.keys(hints).filter((path) => hints[path]?.sensitive === true);
    expect(marked).toEqual(
      expect.arrayContaining([
        'servers.*.apiKey',
        'servers.*.auth.clientSecret',
        'servers.*.auth.privateKey',
        'servers.*.env.*',
        'servers.*.headers.*',
      ]),
    );
    expect(marked.filter((path) => /Url|clientId|scopes|command|policy/.test(path))).toEqual([]);
  });
});

describe('configuration schema for OpenClaw', () => {
  const schema = z.fromJSONSchema(pluginJsonSchema());
  const accepts = (config: object): boolean => schema.safeParse(config).success;

  it('accepts the example and an empty configuration', () => {
    verifies('004-6.3-example', '004-6.3-stdio-server');
    expect(accepts(EXAMPLE)).toBe(true);
    expect(accepts({})).toBe(true);
  });

  it('accepts references for any text', () => {
    const auth = { authorizationServerUrl: '$ISSUER', clientSecret: '$secret:CLIENT' };
    expect(accepts({ servers: { any: { url: '${URL}', apiKey: '$secret:KEY', auth } } })).toBe(true);
  });

  it('refuses an unknown setting', () => {
    expect(accepts({ server: {} })).toBe(false);
    expect(accepts({ toolsVia: 'magic' })).toBe(false);
  });

  it('accepts invalid servers, because the hub reports them one by one', () => {
    for (const any of [{ uri: 'https://example.com' }, { requestTimeoutMs: 'soon' }, { toolFilter: [] }, 5])
      expect(accepts({ servers: { any, 'bad name': {} } })).toBe(true);
  });

  it('adds no defaults', () => {
    expect(JSON.stringify(pluginJsonSchema())).not.toMatch(/"(?:default|format|pattern)":/);
  });
});
