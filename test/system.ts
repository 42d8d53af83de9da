/** What suites need from the system, and how it comes there. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

interface Need {
  /** The test file, relative to the repository. */
  suite: string;
  program: string;
  /** In Debian. */
  package: string;
}

const APT = '/usr/bin/apt-get';

/** A suite that needs a program which `npm ci` does not bring has a row here. */
const NEEDS: readonly Need[] = [
  { suite: 'test/e2e/approvals.test.ts', program: 'notify-send', package: 'libnotify-bin' },
  { suite: 'test/e2e/approvals.test.ts', program: 'dunst', package: 'dunst' },
  { suite: 'test/e2e/approvals.test.ts', program: 'dbus-daemon', package: 'dbus' },
  { suite: 'test/e2e/approvals.test.ts', program: 'Xvfb', package: 'xvfb' },
  { suite: 'test/e2e/claude-code-apps.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/e2e/cli-completion.test.ts', program: 'fish', package: 'fish' },
  { suite: 'test/e2e/cli-completion.test.ts', program: 'zsh', package: 'zsh' },
  { suite: 'test/e2e/cli-init.test.ts', program: 'script', package: 'bsdutils' },
  { suite: 'test/e2e/cli-secret.test.ts', program: 'script', package: 'bsdutils' },
  { suite: 'test/e2e/clients.test.ts', program: 'curl', package: 'curl' },
  { suite: 'test/e2e/docs-clients.test.ts', program: 'curl', package: 'curl' },
  { suite: 'test/e2e/device-desktop.test.ts', program: 'notify-send', package: 'libnotify-bin' },
  { suite: 'test/e2e/device-desktop.test.ts', program: 'dunst', package: 'dunst' },
  { suite: 'test/e2e/device-desktop.test.ts', program: 'dbus-daemon', package: 'dbus' },
  { suite: 'test/e2e/device-desktop.test.ts', program: 'Xvfb', package: 'xvfb' },
  { suite: 'test/e2e/device-desktop.test.ts', program: 'xclip', package: 'xclip' },
  { suite: 'test/e2e/device-desktop.test.ts', program: 'xsel', package: 'xsel' },
  { suite: 'test/e2e/device-desktop.test.ts', program: 'espeak-ng', package: 'espeak-ng' },
  { suite: 'test/e2e/device-clients.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/e2e/device-seed.test.ts', program: 'Xvfb', package: 'xvfb' },
  { suite: 'test/e2e/device-seed.test.ts', program: 'curl', package: 'curl' },
  { suite: 'test/e2e/device-seed.test.ts', program: 'dbus-daemon', package: 'dbus' },
  { suite: 'test/e2e/device-seed.test.ts', program: 'dunst', package: 'dunst' },
  { suite: 'test/e2e/device-browser.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/e2e/device-browser.test.ts', program: 'Xvfb', package: 'xvfb' },
  { suite: 'test/e2e/device-canvas.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/e2e/device-canvas-network.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/e2e/device-screen.test.ts', program: 'Xvfb', package: 'xvfb' },
  { suite: 'test/e2e/device-screen.test.ts', program: 'ffmpeg', package: 'ffmpeg' },
  { suite: 'test/e2e/device-screen.test.ts', program: 'ffprobe', package: 'ffmpeg' },
  { suite: 'test/e2e/device-screen.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/e2e/device-seed-tools.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/e2e/device-seed-tools.test.ts', program: 'dbus-daemon', package: 'dbus' },
  { suite: 'test/e2e/device-seed-tools.test.ts', program: 'dunst', package: 'dunst' },
  { suite: 'test/e2e/device-seed-tools.test.ts', program: 'espeak-ng', package: 'espeak-ng' },
  { suite: 'test/e2e/device-seed-tools.test.ts', program: 'ffmpeg', package: 'ffmpeg' },
  { suite: 'test/e2e/device-seed-tools.test.ts', program: 'notify-send', package: 'libnotify-bin' },
  { suite: 'test/e2e/device-seed-tools.test.ts', program: 'Xvfb', package: 'xvfb' },
  { suite: 'test/e2e/docs-apps.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/e2e/docs-apps.test.ts', program: 'curl', package: 'curl' },
  { suite: 'test/e2e/docs-device.test.ts', program: 'Xvfb', package: 'xvfb' },
  { suite: 'test/e2e/docs-device.test.ts', program: 'dbus-daemon', package: 'dbus' },
  { suite: 'test/e2e/docs-device.test.ts', program: 'dunst', package: 'dunst' },
  { suite: 'test/e2e/docs-device.test.ts', program: 'notify-send', package: 'libnotify-bin' },
  { suite: 'test/e2e/docs-device.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/e2e/docs-device.test.ts', program: 'ffmpeg', package: 'ffmpeg' },
  { suite: 'test/e2e/docs-device.test.ts', program: 'espeak-ng', package: 'espeak-ng' },
  { suite: 'test/e2e/docs-device.test.ts', program: 'xclip', package: 'xclip' },
  { suite: 'test/e2e/docs-device.test.ts', program: 'git', package: 'git' },
  { suite: 'test/e2e/docs-device.test.ts', program: 'curl', package: 'curl' },
  { suite: 'test/e2e/keychain.test.ts', program: 'dbus-daemon', package: 'dbus' },
  { suite: 'test/e2e/keychain.test.ts', program: 'gnome-keyring-daemon', package: 'gnome-keyring' },
  { suite: 'test/e2e/proxy-seed.test.ts', program: 'curl', package: 'curl' },
  { suite: 'test/e2e/proxy-seed-nginx.test.ts', program: 'nginx', package: 'nginx' },
  { suite: 'test/e2e/real-servers.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/e2e/real-http-servers.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/e2e/sign-in.test.ts', program: 'script', package: 'bsdutils' },
  { suite: 'test/e2e/sign-in-browser.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/e2e/web-app.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/openclaw/apps.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/openclaw/device-node.test.ts', program: 'chromium', package: 'chromium' },
  { suite: 'test/openclaw/device-node.test.ts', program: 'Xvfb', package: 'xvfb' },
  { suite: 'test/openclaw/device-node.test.ts', program: 'dbus-daemon', package: 'dbus' },
  { suite: 'test/openclaw/device-node.test.ts', program: 'dunst', package: 'dunst' },
  { suite: 'test/openclaw/device-node.test.ts', program: 'notify-send', package: 'libnotify-bin' },
  { suite: 'test/openclaw/device-node.test.ts', program: 'ffmpeg', package: 'ffmpeg' },
  { suite: 'test/openclaw/device-node.test.ts', program: 'espeak-ng', package: 'espeak-ng' },
];

export interface System {
  /** Suites that are left out because the user said so. */
  skipped: string[];
  /** What is missing, as sentences. */
  missing: string[];
}

const has = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(`${folder}/${program}`));

export function prepareSystem(needs: readonly Need[] = NEEDS): System {
  const lacking = needs.filter(({ program }) => !has(program));
  if (lacking.length === 0) return { skipped: [], missing: [] };
  if (process.env['PINCER_TEST_SYSTEM'] === 'skip')
    return { skipped: [...new Set(lacking.map(({ suite }) => suite))], missing: [] };
  if (process.getuid?.() === 0 && existsSync(APT)) install([...new Set(lacking.map((need) => need.package))]);
  const missing = lacking
    .filter(({ program }) => !has(program))
    .map(({ suite, program, package: name }) => `${suite} needs ${program} (Debian package ${name})`);
  return { skipped: [], missing };
}

function install(packages: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...packages],
  ])
    spawnSync(APT, args, { stdio: ['ignore', 'inherit', 'inherit'], env });
}
