import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
      timeoutMs: undefined,
      check: true,
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

  it('saves the folder if the command names a file in it', () => {
    expect(define({ command: ['node', 'server.js'] })).toMatchObject({ cwd: here });
    expect(define({ command: ['node', './server.js'] })).toMatchObject({ args: ['./server.js'], cwd: here });
    expect(define({ command: ['./server.js'] })).toMatchObject({ command: './server.js', cwd: here });
    expect(define({ command: ['srv', '--config=./server.js'] })).toMatchObject({ cwd: here });
    expect(define({ command: ['uvx', 'srv', '--repository', '.'] })).toMatchObject({ cwd: here });
    expect(define({ command: ['node', 'other.js'] })).not.toHaveProperty('cwd');
  });

  it('does not mistake a file in the folder for a program or package', () => {
    for (const name of ['npx', 'pkg', 'srv']) writeFileSync(join(here, name), '');
    expect(define({ command: ['npx', '-y', 'pkg'] })).not.toHaveProperty('cwd');
    expect(define({ command: ['srv'] })).not.toHaveProperty('cwd');
  });

  it('sets PYTHONPATH for a module in the folder of --cwd only', () => {
    writeFileSync(join(here, 'app.py'), '');
    expect(define({ command: ['python3', '-m', 'app.main'], cwd: '.' })).toEqual({
      command: 'python3',
      args: ['-m', 'app.main'],
      env: { PYTHONPATH: here },
      cwd: here,
    });
    expect(define({ command: ['python3', '-m', 'mcp_server_git'], cwd: '.' })).toEqual({
      command: 'python3',
      args: ['-m', 'mcp_server_git'],
      cwd: here,
    });
  });

  it.each(['app', 'app.main', 'package'])(
    'does not use the module %s of the folder without --cwd',
    (name) => {
      writeFileSync(join(here, 'app.py'), '');
      mkdirSync(join(here, 'package'), { recursive: true });
      const command = ['python3', '-m', name];
      expect(define({ command })).toEqual({ command: 'python3', args: ['-m', name] });
      expect(define({ command, env: ['PYTHONPATH=/srv'] })).not.toHaveProperty('cwd');
    },
  );

  it.each<[Partial<AddOptions>, string]>([
    [{}, 'The URL or command of the server is missing.'],
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
