import { describe, expect, it } from 'vitest';
import JSON5 from 'json5';
import { parse } from 'smol-toml';
import { IMPORT_CLIENTS } from '../../config/import/clients.ts';
import { isOwnEntry } from '../clients/here.ts';
import { CONNECT_CLIENTS } from './clients.ts';
import type { ConnectFacts, Mode } from './facts.ts';
import { snippetOf } from './snippet.ts';

const FACTS: ConnectFacts = {
  name: 'pincer',
  program: { command: '/bin/node', args: ['/opt/pincer.js', 'stdio'], env: { PINCER_HOME: '/h' } },
  url: 'http://127.0.0.1:8765/mcp',
  isListening: true,
  tokenFile: '/h/mcp token.txt',
};
const pairs = CONNECT_CLIENTS.flatMap((client) =>
  client.modes.map((mode) => [client.id, mode, client] as const),
);
const place = { platform: 'linux', home: '/home/p', cwd: '/home/p/x', env: {} } as const;

describe('the snippet for a client', () => {
  it.each(pairs)('%s by %s contains no token, unless requested', (_id, mode, client) => {
    const { command = '', lines, variable } = snippetOf(client, mode, FACTS);
    const text = command + lines;
    expect(text).not.toContain('s3cret');
    if (mode === 'http') {
      expect(/\$\(cat '\/h\/mcp token\.txt'\)|PINCER_TOKEN|\$\{input:/.test(text)).toBe(true);
      expect(variable.lines).toBe(lines.includes('PINCER_TOKEN'));
      expect(snippetOf(client, mode, FACTS, 's3cret').lines).toContain('Bearer s3cret');
    } else expect(text).not.toMatch(/Bearer|TOKEN/);
  });

  it.each(pairs)("%s by %s is recognized as Pincer's own entry by an import", (id, mode, client) => {
    const { lines } = snippetOf(client, mode, FACTS);
    const value: unknown = client.format === 'toml' ? parse(lines) : JSON5.parse(lines);
    expect(value).toBeTypeOf('object');
    const reader = IMPORT_CLIENTS.find((each) => each.id === id);
    const found = reader?.read({ ...place, text: lines, file: client.file(place), project: undefined }).found;
    for (const { draft } of found ?? []) expect(isOwnEntry(draft, { ports: [8765], entry: '' })).toBe(true);
    if (reader !== undefined) expect(found).toHaveLength(1);
  });

  it.each<[string, Mode, string]>([
    [
      'claude-code',
      'http',
      `claude mcp add --scope user --transport http pincer http://127.0.0.1:8765/mcp --header "Authorization: Bearer $(cat '/h/mcp token.txt')"`,
    ],
    [
      'claude-code',
      'stdio',
      'claude mcp add --scope user pincer -e PINCER_HOME=/h -- /bin/node /opt/pincer.js stdio',
    ],
    ['codex', 'stdio', 'codex mcp add pincer --env PINCER_HOME=/h -- /bin/node /opt/pincer.js stdio'],
    [
      'openclaw',
      'stdio',
      String.raw`openclaw mcp set pincer "{\"command\":\"/bin/node\",\"args\":[\"/opt/pincer.js\",\"stdio\"],\"env\":{\"PINCER_HOME\":\"/h\"}}"`,
    ],
  ])('%s by %s is one command', (id, mode, command) => {
    const client = CONNECT_CLIENTS.find((each) => each.id === id)!;
    expect(snippetOf(client, mode, FACTS).command).toBe(command);
  });

  it("goes into the person's own file, never a project's", () => {
    for (const client of CONNECT_CLIENTS) expect(client.file(place)).toMatch(/^\/home\/p\/\./);
  });
});
