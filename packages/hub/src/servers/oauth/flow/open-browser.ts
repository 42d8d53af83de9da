/** Opens an address in the person's browser. No shell: the address is always a single argument. */
import { spawn } from 'node:child_process';
import { safeFolder } from '../../../lib/process.ts';
import { isSecure } from '../../../lib/loopback.ts';

export interface Opener {
  readonly command: string;
  readonly args: readonly string[];
}

/** Returns undefined unless the address is https, or http to this machine. */
export function openerOf(platform: NodeJS.Platform, address: string): Opener | undefined {
  const url = URL.parse(address);
  if (url === null || !isSecure(url)) return undefined;
  const href = withoutShellCharacters(url.href);
  if (platform === 'darwin') return { command: '/usr/bin/open', args: [href] };
  if (platform === 'win32') return { command: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', href] };
  return { command: 'xdg-open', args: [href] };
}

/** Openers may be shell scripts: encodes the characters that a shell interprets. The page sees no difference. */
const withoutShellCharacters = (href: string): string =>
  href.replaceAll(
    /[^\w\-.~:/?#[\]@!&*+,;=%]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

/** Without a screen, `xdg-open` would start a text browser in a terminal that is not visible. */
const hasScreen = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv): boolean =>
  platform === 'darwin' ||
  platform === 'win32' ||
  ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some((name) => (env[name] ?? '') !== '');

/** Resolves to whether an opener was started, not whether it succeeded. */
export function openBrowser(
  address: string,
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): Promise<boolean> {
  const opener = openerOf(platform, address);
  if (opener === undefined || !hasScreen(platform, env)) return Promise.resolve(false);
  return new Promise((resolve) => {
    try {
      const child = spawn(opener.command, opener.args, {
        cwd: safeFolder(),
        stdio: 'ignore',
        detached: true,
        shell: false,
        env,
      });
      child.once('error', () => resolve(false));
      child.once('spawn', () => {
        child.unref();
        resolve(true);
      });
    } catch {
      // The address is longer than an argument may be.
      resolve(false);
    }
  });
}
