import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outlineConfig } from './outline.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'pincer-outline-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function outline(text: string): ReturnType<typeof outlineConfig> {
  const path = join(folder, 'config.json');
  writeFileSync(path, text);
  return outlineConfig(path, {});
}

describe('outlineConfig', () => {
  it('is empty without a file', () => expect(outlineConfig(join(folder, 'none.json'), {})).toEqual([]));

  it('shows servers as written, without parts of a URL that may be secret', () => {
    const servers = outline(`{ servers: { // JSON5
      a: { command: 'npx', args: ['-y', 'pkg', '$KEY'] },
      b: { url: 'https://user:pass@example.com/mcp?key=abc#def', enabled: false },
      c: 5,
    } }`);
    expect(servers).toMatchObject([
      { name: 'a', enabled: true, transport: 'stdio', target: 'npx -y pkg $KEY' },
      { name: 'b', enabled: false, transport: 'http', target: 'https://example.com/mcp' },
    ]);
  });

  it('includes the servers of OpenClaw, with their origin', () => {
    const openClaw = join(folder, 'openclaw.json');
    const servers = { a: { command: 'x' }, b: { command: 'y' } };
    writeFileSync(
      openClaw,
      JSON.stringify({ plugins: { entries: { 'mcp-client': { config: { servers } } } } }),
    );
    outline('{ servers: { a: { url: "https://a.example" } } }');
    expect(outlineConfig(join(folder, 'config.json'), { OPENCLAW_CONFIG_PATH: openClaw })).toMatchObject([
      { name: 'a', transport: 'http', origin: 'config.json' },
      { name: 'b', transport: 'stdio', origin: 'openclaw.json' },
    ]);
  });

  it('reports a syntax error', () => {
    expect(() => outline('{ servers: ')).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('is not JSON5') }),
    );
  });
});
