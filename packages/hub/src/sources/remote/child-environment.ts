const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'];
const INHERITED_ON_WINDOWS = [
  'APPDATA',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'SYSTEMROOT',
  'TEMP',
  'USERNAME',
  'USERPROFILE',
];

/** What a child sees: a few names that programs cannot do without, and what its configuration declares. */
export function childEnvironment(
  declared: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): Record<string, string> {
  const inherited = (platform === 'win32' ? INHERITED_ON_WINDOWS : INHERITED).flatMap((name) => {
    const value = env[name];
    // A value that is a shell function has no business in another program (CVE-2014-6271).
    return value === undefined || value.startsWith('()') ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...declared };
}
