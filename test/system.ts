/** What suites need beyond what `npm ci` brings. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

interface Need {
  readonly program: string;
  /** In Debian. */
  readonly package: string;
}

/** Today nothing. */
const NEEDS: readonly Need[] = [];

const isMissing = ({ program }: Need): boolean =>
  !(process.env['PATH'] ?? '').split(':').some((folder) => existsSync(`${folder}/${program}`));

/** Installs what is missing where that can be done, and throws where it cannot. */
export function prepareSystem(): void {
  const names = NEEDS.filter(isMissing).map((need) => need.package);
  if (names.length > 0)
    spawnSync('/usr/bin/apt-get', ['install', '-y', '-qq', ...names], { stdio: 'inherit' });
  const missing = NEEDS.filter(isMissing).map((need) => `${need.program} (Debian package ${need.package})`);
  if (missing.length > 0) throw new Error(`The tests need ${missing.join(', ')}.`);
}
