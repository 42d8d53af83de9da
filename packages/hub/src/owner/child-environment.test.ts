import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../../test/verifies.ts';
import { childEnvironment } from './child-environment.ts';

const HOST = {
  HOME: '/home/p',
  PATH: '/bin',
  LANG: 'C.UTF-8',
  TERM: 'xterm',
  USER: 'p',
  SHELL: '/bin/sh',
  LOGNAME: 'p',
  TMPDIR: '/tmp',
};
const SECRETS = {
  GITHUB_TOKEN: 's',
  AWS_SECRET_ACCESS_KEY: 's',
  OPENCLAW_GATEWAY_TOKEN: 's',
  PINCER_MASTER_KEY_FILE: 's',
  NODE_OPTIONS: '--require=/tmp/x',
  LD_PRELOAD: '/tmp/x.so',
  LD_LIBRARY_PATH: '/tmp',
  DYLD_INSERT_LIBRARIES: '/tmp/x',
  BASH_ENV: '/tmp/x',
  ENV: '/tmp/x',
  PYTHONSTARTUP: '/tmp/x',
  PERL5OPT: '-x',
  RUBYOPT: '-x',
  GIT_SSH_COMMAND: 'x',
  HTTP_PROXY: 'x',
};

describe('childEnvironment', () => {
  verifies('004-12.1-env');

  it('is a few names of the hub’s own environment, and no secret of it', () => {
    expect(childEnvironment({}, { ...HOST, ...SECRETS }, 'linux')).toEqual(HOST);
    expect(childEnvironment({}, { ...HOST, ...SECRETS }, 'darwin')).toEqual(HOST);
  });

  it('is added to by what the configuration declares, which wins', () => {
    expect(childEnvironment({ API_KEY: 'k', PATH: '/opt' }, HOST, 'linux')).toEqual({
      ...HOST,
      API_KEY: 'k',
      PATH: '/opt',
    });
    expect(childEnvironment({ EMPTY: '' }, {}, 'linux')).toEqual({ EMPTY: '' });
  });

  it('leaves out what is not set, and shell functions', () => {
    expect(childEnvironment({}, { HOME: undefined, PATH: '/bin', TERM: '() { :;}; x' }, 'linux')).toEqual({
      PATH: '/bin',
    });
  });

  it('leaves out what slips code into programs, though the configuration declares it', () => {
    const declared = { ...SECRETS, API_KEY: 'k' };
    expect(childEnvironment(declared, {}, 'linux')).toEqual({
      GITHUB_TOKEN: 's',
      AWS_SECRET_ACCESS_KEY: 's',
      OPENCLAW_GATEWAY_TOKEN: 's',
      PINCER_MASTER_KEY_FILE: 's',
      HTTP_PROXY: 'x',
      API_KEY: 'k',
    });
    expect(childEnvironment({ node_options: 'x', Bash_Env: 'x', Key: 'k' }, {}, 'win32')).toEqual({
      Key: 'k',
    });
  });

  it('takes Windows names in any case, and once each', () => {
    const env = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', Secret: 's' };
    expect(childEnvironment({}, env, 'win32')).toEqual({ PATH: 'C:\\bin', SYSTEMROOT: 'C:\\Windows' });
    expect(childEnvironment({ Path: 'D:\\own' }, env, 'win32')).toEqual({
      SYSTEMROOT: 'C:\\Windows',
      Path: 'D:\\own',
    });
  });

  it('knows the names that Windows programs need', () => {
    const windows = { SYSTEMROOT: 'C:\\Windows', PATH: 'C:\\bin', APPDATA: 'a', HOME: '/x', SHELL: '/y' };
    expect(childEnvironment({}, { ...windows, ...SECRETS }, 'win32')).toEqual({
      SYSTEMROOT: 'C:\\Windows',
      PATH: 'C:\\bin',
      APPDATA: 'a',
    });
  });
});
