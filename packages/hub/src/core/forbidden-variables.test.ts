import { describe, expect, it } from 'vitest';
import { isForbiddenVariable } from './forbidden-variables.ts';

describe('a variable that could inject code into a program', () => {
  it.each([
    'NODE_OPTIONS',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'LD_AUDIT',
    'DYLD_INSERT_LIBRARIES',
    'BASH_ENV',
    'ENV',
    'PROMPT_COMMAND',
    'BASH_FUNC_ls%%',
    'PYTHONSTARTUP',
    'PERL5OPT',
    'RUBYOPT',
    'JAVA_TOOL_OPTIONS',
    '_JAVA_OPTIONS',
    'JDK_JAVA_OPTIONS',
    'DOTNET_STARTUP_HOOKS',
    'CORECLR_PROFILER_PATH_64',
    'GIT_SSH_COMMAND',
    'GIT_CONFIG_COUNT',
    'npm_config_node_options',
    'npm_config_NODE_OPTIONS',
    'Npm_Config_node_options',
    'NPM_CONFIG_NODE-OPTIONS',
    'Npm_Config_Script_Shell',
    'npm_config_userconfig',
    'NPM_CONFIG_GLOBALCONFIG',
    'npm_config_prefix',
    'npm_config_package',
    'OPENSSL_CONF',
    'OPENSSL_MODULES',
    'OPENSSL_ENGINES',
    'PYTHONUSERBASE',
  ])('%s is forbidden everywhere', (name) => {
    for (const platform of ['linux', 'darwin', 'win32'] as const)
      expect(isForbiddenVariable(name, platform)).toBe(true);
  });

  it.each(['node_options', 'Ld_Preload', 'env', 'openssl_conf'])(
    '%s is forbidden on Windows, where names are case-insensitive',
    (name) => {
      expect(isForbiddenVariable(name, 'win32')).toBe(true);
      expect(isForbiddenVariable(name, 'linux')).toBe(false);
    },
  );

  it.each([
    'PATH',
    'HOME',
    'API_KEY',
    'NODE_ENV',
    'NODE_PATH',
    'PYTHONPATH',
    'PYTHONUNBUFFERED',
    'GIT_AUTHOR_NAME',
    'ENVIRONMENT',
    'OLD_LD_PRELOAD',
    'npm_config_registry',
    'npm_config_yes',
    'my_npm_config_userconfig',
    'LDAP_URL',
    '',
  ])('%j is allowed', (name) => {
    for (const platform of ['linux', 'win32'] as const)
      expect(isForbiddenVariable(name, platform)).toBe(false);
  });
});
