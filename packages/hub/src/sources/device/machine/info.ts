/** What this machine is. */
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { VERSION } from '../../../version.ts';
import type { DevicePorts } from '../ports.ts';
import { desktopEnvironment } from '../programs/desktop-environment.ts';

export interface DeviceInfo {
  readonly deviceName: string;
  readonly modelIdentifier: string;
  readonly systemName: string;
  readonly systemVersion: string;
  readonly appVersion: string;
  readonly appBuild: string;
  readonly locale: string;
}

type Run = Pick<DevicePorts, 'platform' | 'env' | 'run'>;

const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['darwin', 'macOS'],
  ['win32', 'Windows'],
  ['linux', 'Linux'],
]);

export async function deviceInfo(ports: Run, signal: AbortSignal): Promise<DeviceInfo> {
  const { platform } = ports;
  const [model, version] = await Promise.all([modelOf(ports, signal), versionOf(ports, signal)]);
  return {
    deviceName: os.hostname().replace(/\.local$/, ''),
    modelIdentifier: model ?? os.arch(),
    systemName: SYSTEMS.get(platform) ?? os.type(),
    systemVersion: version ?? os.release(),
    appVersion: VERSION,
    appBuild: VERSION,
    locale: Intl.DateTimeFormat().resolvedOptions().locale,
  };
}

async function modelOf(ports: Run, signal: AbortSignal): Promise<string | undefined> {
  const { platform, env } = ports;
  if (platform === 'darwin') return said(ports, ['/usr/sbin/sysctl', '-n', 'hw.model'], signal);
  if (platform === 'win32') return env['PROCESSOR_IDENTIFIER'];
  return (await line('/sys/class/dmi/id/product_name')) ?? (await line('/proc/device-tree/model'));
}

async function versionOf(ports: Run, signal: AbortSignal): Promise<string | undefined> {
  const { platform } = ports;
  if (platform === 'darwin') return said(ports, ['/usr/bin/sw_vers', '-productVersion'], signal);
  if (platform === 'win32') return os.version();
  return prettyName(await readFile('/etc/os-release', 'utf8').catch(() => ''));
}

/** Of `os-release`, whose values may be quoted (freedesktop.org, "os-release"). */
export const prettyName = (text: string): string | undefined =>
  /^PRETTY_NAME=(["']?)(.+)\1$/m.exec(text)?.[2]?.replaceAll(/\\(.)/g, '$1');

async function line(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  // Those of the device tree end with a zero.
  return text.replaceAll('\0', '').trim() || undefined;
}

async function said(
  { env, run }: Run,
  [command = '', ...args]: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const limits = { timeoutMs: 2_000, maxBytes: 4_096, whenFull: 'drop' as const };
  const end = await run({ command, args, ...limits, env: desktopEnvironment(env), signal });
  return (end.exitCode === 0 && end.stdout.toString().trim()) || undefined;
}
