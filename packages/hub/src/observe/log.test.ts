import { spawnSync, type StdioOptions } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PincerError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import { logTo, type LogLevel } from './log.ts';

function capture(level: LogLevel = 'info'): { log: Log; lines: () => Record<string, unknown>[] } {
  const written: string[] = [];
  return {
    log: logTo({ write: (line) => written.push(line) }, level),
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

describe('logTo', () => {
  it('writes one JSON line with level, time, message and fields', () => {
    const { log, lines } = capture();
    log.info('server "x" is %s ready', { attempt: 2 });
    expect(lines()).toEqual([
      { level: 'info', time: expect.stringMatching(/Z$/), attempt: 2, msg: 'server "x" is %s ready' },
    ]);
  });

  it('escapes hidden characters', () => {
    const written: string[] = [];
    logTo({ write: (line) => written.push(line) }, 'info').info('a\u009b2J\u202e', { b: '\u200b' });
    expect(written.join('')).toMatch(/"b":"\\u200b","msg":"a\\u009b2J\\u202e"/);
  });

  it('omits messages below the level', () => {
    const { log, lines } = capture('warn');
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(lines().map(({ msg }) => msg)).toEqual(['c', 'd']);
  });

  it('hides secrets on the first three levels and leaves the given object unchanged', () => {
    const { log, lines } = capture();
    const secrets = {
      authorization: 's3',
      token: 's3',
      apiKey: 's3',
      headers: { a: 's3' },
      env: { B: 's3' },
      clientSecret: 's3',
    };
    const fields = { ...secrets, server: { ...secrets, auth: { ...secrets } }, list: [{ ...secrets }] };
    log.info('connecting', fields);
    expect(JSON.stringify(lines())).not.toContain('s3');
    expect(lines()[0]).toMatchObject({ token: '[redacted]', server: { auth: { env: '[redacted]' } } });
    expect(fields.server.auth.token).toBe('s3');
  });

  it('writes errors with their hint, and the stack only for debugging', () => {
    const error = new PincerError('PORT_BUSY', 'Port 1 is taken.', { hint: 'Set another.' });
    const quiet = capture();
    quiet.log.error('no start', { error });
    expect(quiet.lines()[0]?.['error']).toEqual({
      code: 'PORT_BUSY',
      message: 'Port 1 is taken.',
      hint: 'Set another.',
    });
    const verbose = capture('debug');
    verbose.log.error('no start', { error: new Error('x') });
    expect(verbose.lines()[0]?.['error']).toEqual({
      message: 'x',
      stack: expect.stringContaining('log.test'),
    });
  });
});

describe('createLog', () => {
  const script = `import { createLog } from ${JSON.stringify(new URL('log.ts', import.meta.url).href)};
    createLog('info').info('hello', { n: 1 });`;

  it('writes JSON to stderr if it is not a terminal, and nothing to stdout', () => {
    const args = ['--input-type=module', '-e', script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toMatchObject({ level: 'info', msg: 'hello', n: 1 });
  });

  it.runIf(existsSync('/dev/full'))('does not end the process if stderr is full', () => {
    const full = openSync('/dev/full', 'w');
    const stdio: StdioOptions = ['ignore', 'pipe', full];
    const after = `${script} process.stdout.write('alive');`;
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', after], { stdio });
    closeSync(full);
    expect([String(stdout), status]).toEqual(['alive', 0]);
  });
});
