/** Finds a browser on this machine that is built on Chromium. */
import type { Environment } from '../../lib/process.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { canRun, findProgram } from '../programs/find-program.ts';

export type BrowserReadiness =
  | { readonly available: true; readonly path: string }
  | { readonly available: false; readonly reason: string; readonly hint: string };

/** The path of the browser, if it is not in a usual place. */
const VARIABLE = 'PINCER_BROWSER';

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'microsoft-edge-stable',
  'brave-browser',
];

const INSTALL: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'Install chromium, for example with `sudo apt install chromium`',
  darwin: 'Install Google Chrome, Chromium or Microsoft Edge',
  win32: 'Install Microsoft Edge or Google Chrome',
};

/** As Windows spells them. Some environments have them in capitals. */
const WINDOWS_ROOTS = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'];

/** Paths of installers that are not on the PATH. */
export function usualPlaces(platform: NodeJS.Platform, env: Environment): string[] {
  if (platform === 'darwin')
    return ['', env['HOME'] ?? ''].flatMap((root) =>
      ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser'].map(
        (name) => `${root}/Applications/${name}.app/Contents/MacOS/${name}`,
      ),
    );
  if (platform === 'win32')
    return WINDOWS_ROOTS.flatMap((variable) => {
      const root = env[variable] ?? env[variable.toUpperCase()];
      return root === undefined
        ? []
        : [
            `${root}\\Google\\Chrome\\Application\\chrome.exe`,
            `${root}\\Chromium\\Application\\chrome.exe`,
            `${root}\\Microsoft\\Edge\\Application\\msedge.exe`,
          ];
    });
  return ['/snap/bin/chromium', '/opt/google/chrome/chrome'];
}

export function browserReadiness({ env, platform }: Pick<DevicePorts, 'env' | 'platform'>): BrowserReadiness {
  const chosen = env[VARIABLE];
  if (chosen !== undefined && chosen !== '') {
    const path = /[/\\]/.test(chosen) ? chosen : findProgram(chosen, env, platform);
    if (path !== undefined && canRun(path)) return { available: true, path };
    return {
      available: false,
      reason: `${VARIABLE} does not name an executable program`,
      hint: `Set ${VARIABLE} to the path of Chromium, Chrome or Edge, or unset it`,
    };
  }
  for (const name of NAMES) {
    const path = findProgram(name, env, platform);
    if (path !== undefined) return { available: true, path };
  }
  const path = usualPlaces(platform, env).find(canRun);
  if (path !== undefined) return { available: true, path };
  return {
    available: false,
    reason: 'no Chromium, Chrome or Edge is installed',
    hint: `${INSTALL[platform] ?? 'Install Chromium'}, or set ${VARIABLE} to its path`,
  };
}
