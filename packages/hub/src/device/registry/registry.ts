/** All commands of this machine, under their names. */
import type { Log } from '../../../core/ports.ts';
import type { Capability, Command, Readiness } from './capability.ts';
import { checkOfferable } from './offerable.ts';
import { patiently } from './patience.ts';

export interface RegisteredCommand {
  readonly name: string;
  readonly capability: Capability;
  readonly command: Command;
}

export interface CapabilityRegistry {
  /** The first that has a command keeps it. Throws where it cannot be offered. Gives back what takes it away again. */
  register(capability: Capability): () => void;
  readonly capabilities: readonly Capability[];
  /** Those that are switched on, in the order in which they came. */
  list(): readonly RegisteredCommand[];
  /** One that is switched on. */
  find(name: string): RegisteredCommand | undefined;
  /** One that is there but switched off: the switch that it takes. */
  switchOf(name: string): string | undefined;
  /** Of every capability, switched on or not. */
  readiness(): Promise<readonly CapabilityReadiness[]>;
  /** Told after each change of what there is. */
  onChange(listener: () => void): () => void;
  /** The switches have changed. */
  reconsider(): void;
  close(): Promise<void>;
}

export interface CapabilityReadiness {
  readonly category: string;
  readonly states: readonly SwitchedReadiness[];
}

export type SwitchedReadiness = Readiness & {
  /** A name of `device.capabilities`: the one that is off, or else the nearest to these commands. */
  readonly switch: string;
  readonly enabled: boolean;
};

export interface RegistryParts {
  /** The switch of a command: a name of `device.capabilities`. */
  isOn(switchName: string): boolean;
  readonly log?: Pick<Log, 'warn'>;
  readonly limits?: RegistryLimits;
}

/** How long a capability may take to look at what it needs, and to end. */
export interface RegistryLimits {
  readonly lookMs: number;
  readonly closeMs: number;
}

const LIMITS: RegistryLimits = { lookMs: 10_000, closeMs: 8_000 };

/** Commands that have a switch besides that of their category. */
const OWN_SWITCH: ReadonlyMap<string, string> = new Map([
  ['system.run', 'systemRun'],
  ['system.run.prepare', 'systemRun'],
]);

type Named = Pick<RegisteredCommand, 'name' | 'capability'>;

const switchesOf = (name: string, category: string): string[] => {
  const own = OWN_SWITCH.get(name);
  return own === undefined ? [category] : [category, own];
};

const builtIn = ({ commands }: Capability): Readiness => ({
  commands: [...commands.keys()],
  available: true,
  backend: 'built in',
});

export function createRegistry({ isOn, log, limits = LIMITS }: RegistryParts): CapabilityRegistry {
  const capabilities = new Set<Capability>();
  const listeners = new Set<() => void>();
  let commands = new Map<string, RegisteredCommand>();
  let active: readonly Capability[] = [];

  /** The switch that keeps a command off; undefined: it is on. */
  const offBy = ({ name, capability: { category } }: Named): string | undefined =>
    switchesOf(name, category).find((each) => !isOn(each));

  /** Commands of one backend may have different switches. */
  function bySwitch(state: Readiness, capability: Capability): SwitchedReadiness[] {
    const nearest = (name: string): string =>
      offBy({ name, capability }) ?? switchesOf(name, capability.category).at(-1)!;
    return [...Map.groupBy(state.commands, nearest)].map(([each, commands]) => ({
      ...state,
      commands,
      switch: each,
      enabled: isOn(each),
    }));
  }

  function changed(): void {
    // What is switched off, or taken away, leaves no window open and nothing running.
    for (const capability of active)
      if (!capabilities.has(capability) || !isOn(capability.category)) void end(capability);
    active = [...capabilities].filter(({ category }) => isOn(category));
    commands = new Map();
    for (const capability of capabilities)
      for (const [name, command] of capability.commands)
        if (!commands.has(name)) commands.set(name, { name, capability, command });
    for (const listener of listeners) listener();
  }

  async function statesOf(capability: Capability): Promise<readonly Readiness[]> {
    if (capability.readiness === undefined) return [builtIn(capability)];
    try {
      return await patiently(() => capability.readiness!(), limits.lookMs);
    } catch (error) {
      log?.warn('a capability does not say whether it works', { capability: capability.category, error });
      const commands = [...capability.commands.keys()];
      return [{ commands, available: false, reason: 'it does not say whether it works', hint: SEE_LOG }];
    }
  }

  /** However one of them ends, the others do, and so does the hub. */
  async function end(capability: Capability): Promise<void> {
    try {
      await patiently(() => capability.close?.(), limits.closeMs);
    } catch (error) {
      log?.warn('a capability did not end well', { capability: capability.category, error });
    }
  }

  return {
    register(capability) {
      checkOfferable(capability);
      capabilities.add(capability);
      changed();
      return () => {
        if (capabilities.delete(capability)) changed();
      };
    },
    get capabilities() {
      return [...capabilities];
    },
    list: () => [...commands.values()].filter((each) => offBy(each) === undefined),
    find(name) {
      const found = commands.get(name);
      return found === undefined || offBy(found) !== undefined ? undefined : found;
    },
    switchOf(name) {
      const found = commands.get(name);
      return found && offBy(found);
    },
    readiness: () =>
      Promise.all(
        [...capabilities].map(async (capability) => {
          const states = await statesOf(capability);
          return {
            category: capability.category,
            states: states.flatMap((state) => bySwitch(state, capability)),
          };
        }),
      ),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reconsider: changed,
    async close() {
      await Promise.all([...capabilities].map(end));
    },
  };
}

const SEE_LOG = 'The log of the hub says more.';
