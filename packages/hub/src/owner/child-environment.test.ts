import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
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
};

describe('childEnvironment', () => {
  it("has a few names of the hub's environment and none of its secrets", () => {
    expect(childEnvironment({}, { ...HOST, ...SECRETS }, 'linux')).toEqual(HOST);
    expect(childEnvironment({}, { ...HOST, ...SECRETS }, 'darwin')).toEqual(HOST);
  });

  it('adds the declared variables, which win', () => {
    verifies('004-12.1-env');
    expect(childEnvironment({ API_KEY: 'k', PATH: '/opt' }, HOST, 'linux')).toEqual({
      ...HOST,
      API_KEY: 'k',
      PATH: '/opt',
    });
    expect(childEnvironment({ EMPTY: '' }, {}, 'linux')).toEqual({ EMPTY: '' });
  });

  it('omits unset variables and shell functions', () => {
    expect(childEnvironment({}, { HOME: undefined, PATH: '/bin', TERM: '() { :;}; x' }, 'linux')).toEqual({
      PATH: '/bin',
    });
  });

  it('omits variables that inject code, even if declared', () => {
    const declared = { ...SECRETS, API_KEY: 'k' };
    expect(childEnvironment(declared, {}, 'linux')).toEqual({
      GITHUB_TOKEN: 's',
      AWS_SECRET_ACCESS_KEY: 's',
      OPENCLAW_GATEWAY_TOKEN: 's',
      PINCER_MASTER_KEY_FILE: 's',
      API_KEY: 'k',
    });
    expect(childEnvironment({ node_options: 'x', Bash_Env: 'x', Key: 'k' }, {}, 'win32')).toEqual({
      Key: 'k',
    });
  });

  it('matches Windows names in any case, once each', () => {
    const env = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', Secret: 's' };
    expect(childEnvironment({}, env, 'win32')).toEqual({ PATH: 'C:\\bin', SYSTEMROOT: 'C:\\Windows' });
    expect(childEnvironment({ Path: 'D:\\own' }, env, 'win32')).toEqual({
      SYSTEMROOT: 'C:\\Windows',
      Path: 'D:\\own',
    });
  });

  it('includes the names that Windows programs need', () => {
    const windows = { SYSTEMROOT: 'C:\\Windows', PATH: 'C:\\bin', APPDATA: 'a', HOME: '/x', SHELL: '/y' };
    expect(childEnvironment({}, { ...windows, ...SECRETS }, 'win32')).toEqual({
      SYSTEMROOT: 'C:\\Windows',
      PATH: 'C:\\bin',
      APPDATA: 'a',
    });
  });

  it.each([
    'HTTP_PROXY',
    'https_proxy',
    'ALL_PROXY',
    'no_proxy',
    'UV_INDEX_URL',
    'UV_DEFAULT_INDEX',
    'PIP_INDEX_URL',
  ])('includes %s, which a program behind a proxy needs', (name) =>
    expect(childEnvironment({}, { [name]: 'x' }, 'linux')).toEqual({ [name]: 'x' }),
  );

  it.each([
    'NODE_EXTRA_CA_CERTS',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'REQUESTS_CA_BUNDLE',
    'CURL_CA_BUNDLE',
    'NPM_CONFIG_USERCONFIG',
    'npm_config_userconfig',
  ])('includes %s, unless its path is relative', (name) => {
    expect(childEnvironment({}, { [name]: '/etc/ca.pem' }, 'linux')).toEqual({ [name]: '/etc/ca.pem' });
    for (const value of ['ca.pem', './ca.pem', ''])
      expect(childEnvironment({}, { [name]: value }, 'linux')).toEqual({});
  });

  it("includes npm's registry, but not settings that npm read from a folder's .npmrc", () => {
    const env = { NPM_CONFIG_REGISTRY: 'https://a/', npm_config_registry: 'https://b/' };
    expect(childEnvironment({}, env, 'linux')).toEqual(env);
    const underNpm = { ...env, npm_execpath: '/usr/bin/npm' };
    expect(childEnvironment({}, underNpm, 'linux')).toEqual({ NPM_CONFIG_REGISTRY: 'https://a/' });
    expect(childEnvironment({}, { npm_config_registry: 'https://b/', npm_execpath: 'x' }, 'win32')).toEqual(
      {},
    );
  });

  it('prefers the declared proxy in any spelling', () => {
    const env = { HTTPS_PROXY: 'a', https_proxy: 'b' };
    expect(childEnvironment({ https_proxy: 'c' }, env, 'linux')).toEqual({ https_proxy: 'c' });
  });

  it('has a PATH that never leads to the current folder', () => {
    expect(childEnvironment({}, { PATH: '.::/bin:node_modules/.bin' }, 'linux')).toEqual({ PATH: '/bin' });
    expect(childEnvironment({ PATH: '.:/opt' }, { PATH: '/bin' }, 'linux')).toEqual({ PATH: '/opt' });
    expect(childEnvironment({ PATH: '' }, {}, 'linux')['PATH']).toContain('/usr/bin');
    expect(childEnvironment({ Path: '.;C:\\x' }, {}, 'win32')).toEqual({ Path: 'C:\\x' });
  });
});
