/** What holds for one agent: its own word, else that of `*`, else that of the defaults. */
import type { AllowlistEntry, Ask, PolicyFile, Security } from './policy-file.ts';

export interface Effective {
  readonly security: Security;
  readonly ask: Ask;
  readonly askFallback: Security;
  readonly autoAllowSkills: boolean;
  readonly allowlist: readonly AllowlistEntry[];
}

export const EVERY_AGENT = '*';
export const MAIN_AGENT = 'main';

type AgentSettings = NonNullable<PolicyFile['agents']>[string];

/** What the file says of this very agent. */
export const ownSettings = (file: PolicyFile, agent: string): AgentSettings =>
  file.agents !== undefined && Object.hasOwn(file.agents, agent) ? file.agents[agent]! : {};

/** `default` is what `main` was once called. */
export const agentName = (agent: string | undefined): string => {
  const name = agent?.trim() ?? '';
  return name === '' || name === 'default' ? MAIN_AGENT : name;
};

export function effectiveFor(file: PolicyFile, agent: string): Effective {
  const scopes = [
    ownSettings(file, agent),
    ...(agent === MAIN_AGENT ? [ownSettings(file, 'default')] : []),
    ...(agent === EVERY_AGENT ? [] : [ownSettings(file, EVERY_AGENT)]),
  ];
  const settings = [...scopes, file.defaults ?? {}];
  return {
    security: settings.find(({ security }) => security !== undefined)?.security ?? 'allowlist',
    ask: settings.find(({ ask }) => ask !== undefined)?.ask ?? 'on-miss',
    askFallback: settings.find(({ askFallback }) => askFallback !== undefined)?.askFallback ?? 'deny',
    autoAllowSkills:
      settings.find(({ autoAllowSkills }) => autoAllowSkills !== undefined)?.autoAllowSkills ?? false,
    allowlist: scopes.flatMap(({ allowlist = [] }) => allowlist),
  };
}
