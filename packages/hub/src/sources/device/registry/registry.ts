/** All commands of this machine, under their names. */
import type { Capability, Command, Readiness } from './capability.ts';

export interface RegisteredCommand {
  readonly name: string;
  readonly capability: Capability;
  readonly command: Command;
}

export interface CapabilityRegistry {
  /** The first that has a command keeps it. Gives back what takes the capability away again. */
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
  /** The switch is on. */
  readonly enabled: boolean;
  readonly states: readonly Readiness[];
}

export interface RegistryParts {
  /** The switch of a command: a name of `device.capabilities`. */
  isOn(switchName: string): boolean;
}

/** Commands that have a switch besides that of their category. */
const OWN_SWITCH: ReadonlyMap<string, string> = new Map([
  ['system.run', 'systemRun'],
  ['system.run.prepare', 'systemRun'],
]);

export function createRegistry({ isOn }: RegistryParts): CapabilityRegistry {
  const capabilities = new Set<Capability>();
  const listeners = new Set<() => void>();
  let commands = new Map<string, RegisteredCommand>();

  /** The switch that keeps a command off; undefined: it is on. */
  const offBy = ({ name, capability }: RegisteredCommand): string | undefined =>
    [capability.category, OWN_SWITCH.get(name)].find((each) => each !== undefined && !isOn(each));

  function changed(): void {
    commands = new Map();
    for (const capability of capabilities)
      for (const [name, command] of capability.commands)
        if (!commands.has(name)) commands.set(name, { name, capability, command });
    for (const listener of listeners) listener();
  }

  return {
    register(capability) {
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
        [...capabilities].map(async (capability) => ({
          category: capability.category,
          enabled: isOn(capability.category),
          states: (await capability.readiness?.()) ?? [
            { commands: [...capability.commands.keys()], available: true as const, backend: 'built in' },
          ],
        })),
      ),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reconsider: changed,
    async close() {
      await Promise.all([...capabilities].map(async (capability) => capability.close?.()));
    },
  };
}
