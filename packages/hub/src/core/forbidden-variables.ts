/**
 * Environment variables through which a configuration could run its own code inside a harmless-looking program
 * (CVE-2026-44995: `NODE_OPTIONS`, `LD_PRELOAD`, `BASH_ENV` in an imported server). Pure. Search paths (`PATH`,
 * `NODE_PATH`, `PYTHONPATH`) are not included: they are as visible as the command itself.
 */
const NAMES: ReadonlySet<string> = new Set([
  // Loaders and runtimes that take options or load files before the program starts.
  'NODE_OPTIONS',
  'BUN_OPTIONS',
  'PYTHONSTARTUP',
  'PYTHONBREAKPOINT',
  'PERL5OPT',
  'PERL5DB',
  'RUBYOPT',
  'LUA_INIT',
  'PHPRC',
  'PHP_INI_SCAN_DIR',
  'JAVA_TOOL_OPTIONS',
  '_JAVA_OPTIONS',
  'JDK_JAVA_OPTIONS',
  'DOTNET_STARTUP_HOOKS',
  'DOTNET_ADDITIONAL_DEPS',
  'GCONV_PATH',
  'GLIBC_TUNABLES',
  // Shells that read a file or run a command before the script.
  'BASH_ENV',
  'ENV',
  'ZDOTDIR',
  'PROMPT_COMMAND',
  'PS4',
  'SHELLOPTS',
  'BASHOPTS',
  'COMSPEC',
  // Programs that git starts.
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_EXEC_PATH',
  'GIT_PROXY_COMMAND',
  'GIT_ASKPASS',
  'GIT_PAGER',
  'GIT_EDITOR',
  'GIT_SEQUENCE_EDITOR',
  'GIT_EXTERNAL_DIFF',
  'GIT_TEMPLATE_DIR',
  'SSH_ASKPASS',
  // Libraries that OpenSSL loads, and the folder whose `usercustomize` Python runs first.
  'OPENSSL_CONF',
  'OPENSSL_CONF_INCLUDE',
  'OPENSSL_MODULES',
  'OPENSSL_ENGINES',
  'PYTHONUSERBASE',
]);

/**
 * npm settings that become Node options, name a program or another package, or name a file with such settings. The
 * `npmrc` of all users is below the prefix.
 */
const NPM_SETTINGS: ReadonlySet<string> = new Set([
  'node-options',
  'script-shell',
  'shell',
  'git',
  'call',
  'package',
  'userconfig',
  'globalconfig',
  'prefix',
]);

const FAMILIES: readonly string[] = [
  'LD_',
  'DYLD_',
  'BASH_FUNC_',
  'LUA_INIT_',
  'COR_PROFILER',
  'CORECLR_PROFILER',
  'GIT_CONFIG',
];

/** Names are case-insensitive on Windows. */
export function isForbiddenVariable(name: string, platform: NodeJS.Platform): boolean {
  const known = platform === 'win32' ? name.toUpperCase() : name;
  return NAMES.has(known) || FAMILIES.some((family) => known.startsWith(family)) || isNpmSetting(name);
}

/** npm accepts its variables in any case, and `_` for `-` (@npmcli/config, `loadEnv`). */
function isNpmSetting(name: string): boolean {
  const setting = /^npm_config_(.+)$/i.exec(name)?.[1];
  return setting !== undefined && NPM_SETTINGS.has(setting.toLowerCase().replaceAll('_', '-'));
}
