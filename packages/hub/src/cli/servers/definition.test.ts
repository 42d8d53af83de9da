import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineServer, type AddOptions } from './definition.ts';

let here: string;
beforeAll(() => {
  here = mkdtempSync(join(tmpdir(), 'pincer-add-'));
  writeFileSync(join(here, 'server.js'), '');
});
afterAll(() => rmSync(here, { recursive: true }));

const define = (options: Partial<AddOptions>) =>
  defineServer(
    {
      name: 'x',
      url: undefined,
      command: undefined,
      headers: [],
      env: [],
      apiKeyEnv: undefined,
      cwd: undefined,
      ...options,
    },
    here,
  );
const url = 'https://example.com/mcp';

describe('defineServer', () => {
  it('takes a URL with references to secrets', () => {
    expect(define({ url })).toEqual({ url });
    expect(
      define({ url, apiKeyEnv: 'DOCS_KEY', headers: ['Authorization: Bearer $DOCS', 'X-Team:a:b'] }),
    ).toEqual({ url, apiKey: '$DOCS_KEY', headers: { Authorization: 'Bearer $DOCS', 'X-Team': 'a:b' } });
  });

  it('takes a command with variables and a folder', () => {
    expect(define({ command: ['npx', '-y', 'pkg'] })).toEqual({ command: 'npx', args: ['-y', 'pkg'] });
    expect(define({ command: ['srv'], env: ['A=b=c', 'GITHUB_TOKEN=$GITHUB_TOKEN'], cwd: 'sub' })).toEqual({
      command: 'srv',
      env: { A: 'b=c', GITHUB_TOKEN: '$GITHUB_TOKEN' },
      cwd: join(here, 'sub'),
    });
  });

  it('remembers the folder where a file of it is named', () => {
    expect(define({ command: ['node', 'server.js'] })).toMatchObject({ cwd: here });
    expect(define({ command: ['node', 'other.js'] })).not.toHaveProperty('cwd');
  });

  it.each<[Partial<AddOptions>, string]>([
    [{}, 'Where is the server?'],
    [{ url, command: ['x'] }, 'not both'],
    [{ command: [] }, 'The command after -- is missing.'],
    [{ url: 'example' }, '"example" is not a URL.'],
    [{ url, env: ['A=b'] }, '--env and --cwd'],
    [{ command: ['x'], headers: ['A: b'] }, '--header and --api-key-env'],
    [{ url, headers: ['oops'] }, '--header takes NAME:VALUE'],
    [{ command: ['x'], env: ['oops'] }, '--env takes NAME=VALUE'],
    [{ url, apiKeyEnv: 'sk-123' }, 'not the key itself'],
    [{ url, headers: ['Authorization: Bearer abc'] }, 'looks like a secret'],
    [{ command: ['x'], env: ['API_TOKEN=abc'] }, 'looks like a secret'],
  ])('refuses %j', (options, message) => {
    expect(() => define(options)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(message) }),
    );
  });
});
