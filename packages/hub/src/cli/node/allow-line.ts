/** What lets a gateway use commands that it blocks, as lines for its machine. */
import { valueAt } from '../../lib/record.ts';

export const ALLOW_SETTING = 'gateway.nodes.commands.allow';
const DENY_SETTING = 'gateway.nodes.commands.deny';

/** What a gateway's configuration says of commands. */
export interface CommandPolicy {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** `config` is the gateway's openclaw.json. */
export const policyIn = (config: unknown): CommandPolicy => ({
  allow: textsAt(config, ALLOW_SETTING),
  deny: textsAt(config, DENY_SETTING),
});

/**
 * The whole list: `config set` replaces the one that is there, and a command that it leaves out is revoked. Where the present
 * list is not known, the line changes nothing if there is one.
 */
export function allowLines(blocked: readonly string[], policy: CommandPolicy | undefined): string[] {
  if (policy === undefined)
    return [
      `  openclaw config set ${ALLOW_SETTING} '${JSON.stringify(blocked)}' --expect-current-absent`,
      `If it says that there is such a list, add these commands to the one of: openclaw config get ${ALLOW_SETTING}`,
    ];
  const { allow, deny } = policy;
  const kept = deny.filter((each) => !blocked.includes(each));
  return [
    setLine(ALLOW_SETTING, [...new Set([...allow, ...blocked])]),
    ...(kept.length < deny.length ? [setLine(DENY_SETTING, kept)] : []),
  ];
}

const setLine = (setting: string, list: readonly string[]): string =>
  `  openclaw config set ${setting} '${JSON.stringify(list)}'`;

function textsAt(config: unknown, setting: string): string[] {
  const value = valueAt(config, setting.split('.'));
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
