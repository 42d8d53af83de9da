import { describe, expect, it } from 'vitest';
import { findDownloadFailure, launcherOf, packageOf } from './download-failure.ts';

const NPX = { command: '/usr/bin/npx', args: ['-y', '@scope/typo@1.0'] };
const UVX = { command: 'uvx', args: ['--from', 'some-package', 'tool'] };
const DOCKER = { command: 'docker', args: ['run', '-i', '--rm', 'unknown/nothing'] };

const E404 = `npm warn Unknown user config "x".
npm error code E404
npm error 404 Not Found - GET http://127.0.0.1:1/@scope%2ftypo - Not found
npm error 404
npm error A complete log of this run can be found in: /tmp/x.log
`;
const NO_NETWORK = `npm error code ENOTFOUND
npm error syscall getaddrinfo
npm error errno ENOTFOUND
npm error network request to http://nosuch.invalid/foo failed, reason: getaddrinfo ENOTFOUND nosuch.invalid
`;

describe('findDownloadFailure', () => {
  it.each([
    [E404, NPX, 'the registry has no such package (E404)', false, 'npm view @scope/typo versions'],
    [E404.replaceAll('npm error', 'npm ERR!'), NPX, 'no such package (E404)', false, 'npm view @scope/typo'],
    [NO_NETWORK, NPX, 'the registry cannot be reached (ENOTFOUND)', true, 'npm ping'],
    [NO_NETWORK.replaceAll('ENOTFOUND', 'ECONNREFUSED'), NPX, '(ECONNREFUSED)', true, 'npm ping'],
    ['npm error code EINTEGRITY\nnpm error sha512-x integrity', NPX, 'its checksum', true, 'npm cache clean'],
    [
      'npm error code ETARGET\nnpm error notarget No match',
      NPX,
      'no such version',
      false,
      'npm view @scope/typo',
    ],
    ['npm error code E401\nnpm error Unable to authenticate', NPX, 'denies access', false, 'npm whoami'],
    [' ERR_PNPM_FETCH_404  GET http://r/x: Not Found', NPX, '(FETCH_404)', false, 'npm view'],
    [
      '  ╰─▶ Because some-package was not found in the package registry',
      UVX,
      'no such',
      false,
      'uvx some-package',
    ],
    ['error: Failed to fetch: `https://pypi.org/simple/x/`', UVX, 'cannot be reached', true, 'your network'],
    [
      'docker: Error: pull access denied for unknown/nothing',
      DOCKER,
      'no such package',
      false,
      'docker pull',
    ],
  ] as const)('reads %j', (...[stderr, launch, reason, isPassing, next]) => {
    const found = findDownloadFailure(stderr, launch);
    expect(found).toMatchObject({ isPassing });
    expect(found?.reason).toContain(reason);
    expect(found?.reason).not.toMatch(/scope|127\.0\.0\.1|nosuch/);
    expect(found?.advice).toContain(next);
  });

  it('quotes the first informative line', () => {
    expect(findDownloadFailure(E404, NPX)?.advice).toMatch(/^It said: npm error 404 Not Found - GET /);
    expect(findDownloadFailure(NO_NETWORK, NPX)?.advice).toMatch(/^It said: npm error network request to /);
  });

  it.each([
    ['', NPX],
    ['npm error code ELIFECYCLE\nnpm error errno 1', NPX],
    ['Error: Failed to fetch the users', { command: 'node', args: ['server.js'] }],
  ])('finds no failure in %j', (stderr, launch) => {
    expect(findDownloadFailure(stderr, launch)).toBeUndefined();
  });
});

it.each([
  ['npx', 'npx'],
  [String.raw`C:\nodejs\npx.cmd`, 'npx'],
  ['/opt/uvx', 'uvx'],
  ['node', undefined],
])('%s is started by %s', (command, launcher) => {
  expect(launcherOf(command)).toBe(launcher);
});

it.each([
  [['-y', 'a'], 'a'],
  [['exec', '--', 'a'], 'a'],
  [['-y', '--package=b', 'run-b'], 'b'],
  [['-p', 'b', 'run-b'], 'b'],
  [[], undefined],
])('%j downloads %s', (args, wanted) => {
  expect(packageOf({ command: 'npx', args })).toBe(wanted);
});
