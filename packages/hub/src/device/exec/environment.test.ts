import { describe, expect, test } from 'vitest';
import { baseEnvironment, isBlockedVariable } from './environment.ts';

describe('variables that callers must not set', () => {
  test.each(
    `PATH Path path PATHEXT ComSpec PSModulePath NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONSTARTUP PYTHONUSERBASE RUBYOPT
    RUBYLIB PERL5OPT PERL5LIB PERLIO GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH GIT_PROXY_COMMAND GIT_ASKPASS BASH_ENV ENV
    CDPATH PROMPT_COMMAND ZDOTDIR LD_PRELOAD LD_LIBRARY_PATH ld_audit DYLD_INSERT_LIBRARIES AWS_ACCESS_KEY_ID
    AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_CLIENT_SECRET GITHUB_TOKEN GH_TOKEN NPM_TOKEN OPENAI_API_KEY GIT_PAGER
    GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT DOTNET_STARTUP_HOOKS
    DOTNET_ADDITIONAL_DEPS JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS`.split(/\s+/),
  )('%s is on the documented list', (name) => expect(isBlockedVariable(name)).toBe(true));

  test.each(
    `PERLLIB TAR_OPTIONS MAKEFLAGS LESSOPEN LUA_PATH CLASSPATH RSYNC_RSH PYTHONWARNINGS VIMINIT RUSTC_WRAPPER`.split(
      ' ',
    ),
  )('%s changes what a program loads or runs', (name) => expect(isBlockedVariable(name)).toBe(true));

  test.each(
    `MY_TOKEN TOKEN my-secret db.password DB_PASSWD APP_CREDENTIAL APP_CREDENTIALS STRIPE_API_KEY MY_ACCESS_KEY
    SSH_PRIVATE_KEY OAUTH_CLIENT_SECRET DB_CONNECTION_STRING SQLCONNSTR_main`.split(/\s+/),
  )('%s looks like a secret', (name) => expect(isBlockedVariable(name)).toBe(true));

  test.each(['', ' ', 'A B', 'A=B', 'A\0', 'A\n', 'A\r', 'A\u0007', '\u200bA'])(
    '%j is not a valid name',
    (name) => expect(isBlockedVariable(name)).toBe(true),
  );

  test.each(['A'.repeat(127), 'ü'.repeat(64)])('%s is too long to be shown', (name) =>
    expect(isBlockedVariable(name)).toBe(true),
  );

  test.each([
    'A'.repeat(126),
    'FOO',
    'LANG',
    'TZ',
    'CI',
    'KEYBOARD',
    'TOKENIZER',
    'MONKEY_BUSINESS',
    'DEBUG',
    'NO_COLOR',
    'Größe',
  ])('%s may be set', (name) => expect(isBlockedVariable(name)).toBe(false));
});

test('a command inherits only harmless variables from the hub', () => {
  const env = {
    PATH: '/bin',
    HOME: '/home/a',
    LC_ALL: 'C',
    XDG_RUNTIME_DIR: '/run/user/1',
    OPENAI_API_KEY: 'sk',
    PINCER_HOME: '/x',
    LD_PRELOAD: 'x.so',
    NODE_OPTIONS: '-r x',
    GONE: undefined,
  };
  expect(baseEnvironment(env, 'linux')).toEqual({
    PATH: '/bin',
    HOME: '/home/a',
    LC_ALL: 'C',
    XDG_RUNTIME_DIR: '/run/user/1',
  });
  expect(baseEnvironment({ Path: 'C:\\', windir: 'C:\\Windows' }, 'win32')).toEqual({
    Path: 'C:\\',
    windir: 'C:\\Windows',
  });
});

test('the search path of a command has no relative folders', () => {
  const PATH = [':', '/usr/bin', '.', 'node_modules/.bin', '/bin', ''].join(':');
  expect(baseEnvironment({ PATH }, 'linux')).toEqual({ PATH: '/usr/bin:/bin' });
});
