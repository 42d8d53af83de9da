import { error, ok, type Finding } from './finding.ts';

/** As `engines` in package.json and the check in bin/pincer.js. */
const MIN_MAJOR = 24;
const MIN_MINOR = 16;

export function checkNodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MIN_MAJOR || (major === MIN_MAJOR && minor >= MIN_MINOR)) return ok('node', `Node ${version}.`);
  return error(
    'INTERNAL',
    'node',
    `Node ${version} is too old.`,
    `Install Node ${MIN_MAJOR}.${MIN_MINOR} or newer.`,
  );
}
