/** What is held against the suite, as data. */
import type { Era } from '../servers/flags.ts';

export type Revision = '2025-11-25' | '2026-07-28';

export interface Target {
  name: string;
  revision: Revision;
  /**
   * `fixture`: the everything-server itself. `hub`: Pincer in front of it. `client-legs`: Pincer in front of the suite's own
   * servers.
   */
  kind: 'fixture' | 'hub' | 'client-legs';
  /** How the everything-server is reached, and what it speaks. */
  transport: 'http' | 'stdio';
  era: Era | 'dual';
  /** How many scored scenarios have to pass. */
  expected: number;
  /** The unscored ones have to pass, too. */
  isStrict?: boolean;
  /** Scored scenarios that cannot pass, and why. */
  losses?: Record<string, string>;
}

/** Settings of the server under test in the hub's configuration: the suite knows its names and its roots. */
export const SERVER_SETTINGS: object = { toolPrefix: '', roots: 'pass' };

const KEY_NAMES =
  'the suite wants its question under the name `user_name`, and questions have no names on a legacy wire';
const LEGACY_LOSSES = { 'input-required-result-basic-elicitation': KEY_NAMES };

const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';

/** Scored scenarios for servers and for clients. */
const SERVER = { [LEGACY]: 30, [MODERN]: 37 } as const;
const CLIENT = { [LEGACY]: 18, [MODERN]: 32 } as const;

const both = (target: Omit<Target, 'revision' | 'expected'>, expected: Record<Revision, number>): Target[] =>
  ([LEGACY, MODERN] as const).map((revision) => ({ ...target, revision, expected: expected[revision] }));

export const TARGETS: readonly Target[] = [
  ...both({ name: 'fixture-http', kind: 'fixture', transport: 'http', era: 'dual' }, SERVER),
  ...both({ name: 'hub-http', kind: 'hub', transport: 'http', era: 'dual' }, SERVER),
  ...both({ name: 'hub-stdio', kind: 'hub', transport: 'stdio', era: 'dual' }, SERVER),
  ...(['http', 'stdio'] as const).flatMap((transport): Target[] => [
    {
      name: `hub-over-modern-${transport}`,
      revision: LEGACY,
      kind: 'hub',
      transport,
      era: 'modern',
      expected: SERVER[LEGACY],
    },
    {
      name: `hub-over-legacy-${transport}`,
      revision: MODERN,
      kind: 'hub',
      transport,
      era: 'legacy',
      expected: SERVER[MODERN] - 1,
      losses: LEGACY_LOSSES,
    },
  ]),
  ...both(
    { name: 'client-legs', kind: 'client-legs', transport: 'http', era: 'dual', isStrict: true },
    CLIENT,
  ),
];
