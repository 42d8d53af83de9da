/**
 * What a child inherits from the hub's environment, besides what its configuration declares. The list is shown in
 * docs/config.md. No variable on it holds a secret of another program, with one exception: addresses of proxies and
 * package registries may hold a password. Their values are never logged. Pure.
 */
import { type Environment, isWholePath, wholeSearchPath, withWholePaths } from '../lib/process.ts';

/**
 * Relative values of `path` and `paths` (a list) are left out: they would depend on the folder the hub was started in.
 */
type Kind = 'text' | 'search-path' | 'path' | 'paths';

interface Group {
  readonly kind: Kind;
  readonly names: readonly string[];
  /** Also in lower case: programs read either. */
  readonly isAnyCase?: true;
}

const SEARCH_PATH: Group = { kind: 'search-path', names: ['PATH'] };

const UNIX: readonly Group[] = [
  { kind: 'text', names: ['HOME', 'LOGNAME', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'] },
];

const WINDOWS: readonly Group[] = [
  {
    kind: 'text',
    names: [
      'APPDATA',
      'HOMEDRIVE',
      'HOMEPATH',
      'LOCALAPPDATA',
      'PATHEXT',
      'PROCESSOR_ARCHITECTURE',
      'PROGRAMFILES',
      'SYSTEMDRIVE',
      'SYSTEMROOT',
      'TEMP',
      'USERNAME',
      'USERPROFILE',
    ],
  },
];

/** Behind a proxy or a company's certificate, a program reaches neither its service nor its packages without these. */
const NETWORK: readonly Group[] = [
  // Trusted certificates.
  {
    kind: 'path',
    names: ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'PIP_CERT'],
  },
  { kind: 'path', names: ['AWS_CA_BUNDLE', 'GIT_SSL_CAINFO', 'DENO_CERT'] },
  { kind: 'paths', names: ['SSL_CERT_DIR'] },
  { kind: 'text', names: ['NODE_USE_SYSTEM_CA', 'UV_SYSTEM_CERTS', 'UV_NATIVE_TLS', 'DENO_TLS_CA_STORE'] },
  // Proxies.
  { kind: 'text', names: ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'], isAnyCase: true },
  { kind: 'text', names: ['NODE_USE_ENV_PROXY'] },
  // Package registries.
  {
    kind: 'text',
    names: ['NPM_CONFIG_REGISTRY', 'NPM_CONFIG_PROXY', 'NPM_CONFIG_HTTPS_PROXY'],
    isAnyCase: true,
  },
  { kind: 'text', names: ['NPM_CONFIG_NOPROXY'], isAnyCase: true },
  { kind: 'path', names: ['NPM_CONFIG_USERCONFIG', 'NPM_CONFIG_CAFILE'], isAnyCase: true },
  {
    kind: 'text',
    names: ['COREPACK_NPM_REGISTRY', 'YARN_NPM_REGISTRY_SERVER', 'BUN_CONFIG_REGISTRY', 'JSR_URL'],
  },
  { kind: 'text', names: ['UV_INDEX_URL', 'UV_DEFAULT_INDEX', 'UV_INDEX', 'UV_EXTRA_INDEX_URL'] },
  {
    kind: 'text',
    names: ['UV_PYTHON_INSTALL_MIRROR', 'PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL', 'PIP_TRUSTED_HOST'],
  },
  { kind: 'path', names: ['PIP_CONFIG_FILE'] },
];

export interface InheritedVariable {
  readonly name: string;
  readonly kind: Kind;
  /** Either spelling sets the other. */
  readonly isAnyCase: boolean;
}

const listed = (groups: readonly Group[], platform: NodeJS.Platform): InheritedVariable[] =>
  groups.flatMap(({ kind, names, isAnyCase = false }) =>
    // Windows has one variable for both spellings.
    names
      .flatMap((name) => (isAnyCase && platform !== 'win32' ? [name, name.toLowerCase()] : [name]))
      .map((name) => ({ name, kind, isAnyCase: isAnyCase || platform === 'win32' })),
  );

export const networkVariables = (platform: NodeJS.Platform): readonly InheritedVariable[] =>
  listed(NETWORK, platform);

export const inheritedVariables = (platform: NodeJS.Platform): readonly InheritedVariable[] =>
  listed([...(platform === 'win32' ? WINDOWS : UNIX), SEARCH_PATH, ...NETWORK], platform);

/**
 * npm copies the `.npmrc` of the current folder into such variables for the scripts it runs. Under `npx pincer` or
 * `npm start` they hold the settings of that folder.
 */
export const isWrittenByNpm = (name: string, env: Environment, platform: NodeJS.Platform): boolean =>
  env['npm_execpath'] !== undefined &&
  (platform === 'win32' ? name.toLowerCase() : name).startsWith('npm_config_');

/** The value to pass to a child; undefined to leave the variable out. */
export function inheritedValue(value: string, kind: Kind, platform: NodeJS.Platform): string | undefined {
  // A shell function must not reach another program (CVE-2014-6271).
  if (value.startsWith('()')) return undefined;
  if (kind === 'search-path') return wholeSearchPath(value, platform);
  if (kind === 'paths') return withWholePaths(value, platform) || undefined;
  return kind === 'text' || isWholePath(value, platform) ? value : undefined;
}
