import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readDotEnv } from './dot-env.ts';

let folder: string;
const write = (text: string): void => writeFileSync(join(folder, '.env'), text);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-env-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('.env', () => {
  it('may have the five variables of the proxy', () => {
    write(`# The proxy
OPENCLAW_PROXY_APP_TOKEN=replace-me
export OPENCLAW_PROXY_OPENCLAW_TOKEN="with spaces # and this"
OPENCLAW_PROXY_SERVER_URL=http://127.0.0.1:8000 # a comment
OPENCLAW_PROXY_SESSION_TTL_SECONDS=300\r
OPENCLAW_PROXY_TOOL_TIMEOUT_SECONDS='120'
`);
    expect(readDotEnv(folder).file).toBe(join(folder, '.env'));
    expect(readDotEnv(folder).values).toEqual({
      OPENCLAW_PROXY_APP_TOKEN: 'replace-me',
      OPENCLAW_PROXY_OPENCLAW_TOKEN: 'with spaces # and this',
      OPENCLAW_PROXY_SERVER_URL: 'http://127.0.0.1:8000',
      OPENCLAW_PROXY_SESSION_TTL_SECONDS: '300',
      OPENCLAW_PROXY_TOOL_TIMEOUT_SECONDS: '120',
    });
  });

  it('says nothing else to anybody', () => {
    write('PATH=/evil\nNODE_OPTIONS=--require=x\nPINCER_HOME=/tmp\nOPENCLAW_PROXY_OTHER=1\n__proto__=x\n');
    expect(readDotEnv(folder).values).toEqual({});
  });

  it('need not be there, nor be a file', () => {
    expect(readDotEnv(folder).values).toEqual({});
    mkdirSync(join(folder, '.env'));
    expect(readDotEnv(folder).values).toEqual({});
  });

  it('that is too large is refused', () => {
    write(`OPENCLAW_PROXY_APP_TOKEN=a\n${'#'.repeat(64 * 1024)}`);
    expect(() => readDotEnv(folder)).toThrow(
      expect.objectContaining({ code: 'CONFIG_UNREADABLE', message: expect.stringContaining('65536 bytes') }),
    );
  });
});
