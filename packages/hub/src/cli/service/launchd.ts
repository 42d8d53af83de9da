/** The hub as a launchd agent. */
import { join } from 'node:path';
import { runFolder } from '../../owner/state-folder.ts';
import type { ServiceFacts } from './files.ts';
import type { ServiceManager } from './manager.ts';

const OWNER_ONLY_UMASK = 0o077;

const agentLabel = ({ suffix }: ServiceFacts): string => `pincer.hub${suffix === '' ? '' : `.${suffix}`}`;

export function launchdAgent(facts: ServiceFacts): string {
  const { node, script, env, home } = facts;
  const log = join(runFolder(home), 'service.log');
  const strings = (texts: readonly string[]): string =>
    texts.map((text) => `      <string>${escapeXml(text)}</string>\n`).join('');
  const variables = Object.entries(env)
    .map(
      ([name, value]) => `      <key>${escapeXml(name)}</key>\n      <string>${escapeXml(value)}</string>\n`,
    )
    .join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
  <dict>
    <key>Label</key>
    <string>${agentLabel(facts)}</string>
    <key>ProgramArguments</key>
    <array>
${strings([node, script, 'up'])}    </array>
    <key>EnvironmentVariables</key>
    <dict>
${variables}    </dict>
    <key>RunAtLoad</key>
    <true/>
    <key>KeepAlive</key>
    <dict>
      <key>SuccessfulExit</key>
      <false/>
    </dict>
    <key>ThrottleInterval</key>
    <integer>5</integer>
    <key>Umask</key>
    <integer>${OWNER_ONLY_UMASK}</integer>
    <key>StandardOutPath</key>
    <string>${escapeXml(log)}</string>
    <key>StandardErrorPath</key>
    <string>${escapeXml(log)}</string>
  </dict>
</plist>
`;
}

/** `user`: the numeric user id. */
export function launchdManager(facts: ServiceFacts, user: number): ServiceManager {
  const label = agentLabel(facts);
  const file = join(facts.userHome, 'Library', 'LaunchAgents', `${label}.plist`);
  const domain = `gui/${user}`;
  const launchctl = (...args: string[]) => ({ program: 'launchctl', args });
  return {
    title: 'launchd',
    name: label,
    files: [{ path: file, text: launchdAgent(facts) }],
    // Unload an earlier agent first. This fails if there is none, which is fine.
    install: [
      { ...launchctl('bootout', `${domain}/${label}`), mayFail: true },
      launchctl('bootstrap', domain, file),
    ],
    remove: [{ ...launchctl('bootout', `${domain}/${label}`), mayFail: true }],
    afterRemove: [],
    status: launchctl('print', `${domain}/${label}`),
    parseStatus: parseLaunchdStatus,
    log: `tail -n 30 ${join(runFolder(facts.home), 'service.log')}`,
    notes: [],
    missing: 'launchctl was not found.',
  };
}

export function parseLaunchdStatus(text: string): ReturnType<ServiceManager['parseStatus']> {
  const state = /^\s*state = (.+)$/m.exec(text)?.[1];
  const pid = /^\s*pid = (\d+)$/m.exec(text)?.[1];
  const exit = /^\s*last exit code = (\d+)/m.exec(text)?.[1];
  return {
    isRunning: state === 'running',
    pid: pid === undefined ? undefined : Number(pid),
    detail: [state, exit === undefined ? undefined : `last exit code ${exit}`]
      .filter((word) => word !== undefined)
      .join(', '),
  };
}

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
