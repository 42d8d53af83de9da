import { isForbiddenVariable } from '../../../core/forbidden-variables.ts';

const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'];
const INHERITED_ON_WINDOWS = [
  'APPDATA',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'USERNAME',
  'USERPROFILE',
];

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * What a child sees: a few names that programs cannot do without, and what its configuration declares. Anything else of
 * the hub's own environment reaches it only where the configuration names it. What slips code into programs never does.
 */
export function childEnvironment(
  declared: Readonly<Record<string, string>>,
  env: Variables,
  platform: NodeJS.Platform,
): Record<string, string> {
  const isWindows = platform === 'win32';
  const allowed = Object.entries(declared).filter(([name]) => !isForbiddenVariable(name, platform));
  const isDeclared = (name: string): boolean =>
    allowed.some(([other]) => other === name || (isWindows && other.toUpperCase() === name));
  const inherited = (isWindows ? INHERITED_ON_WINDOWS : INHERITED).flatMap((name) => {
    const value = isWindows ? valueInAnyCase(env, name) : env[name];
    // A value that is a shell function has no business in another program (CVE-2014-6271).
    const isWelcome = value !== undefined && !value.startsWith('()') && !isDeclared(name);
    return isWelcome ? [[name, value] as const] : [];
  });
  return Object.fromEntries([...inherited, ...allowed]);
}

/** Windows itself writes `Path`, and a copy of its environment is no longer blind to case. */
const valueInAnyCase = (env: Variables, wanted: string): string | undefined =>
  Object.entries(env).find(([name]) => name.toUpperCase() === wanted)?.[1];
