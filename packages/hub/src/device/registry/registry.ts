/** The registry of capabilities: commands by name, switches, readiness. */
import type { Log } from '../../core/ports.ts';
import type { Capability, MissingBackend, Readiness, RegisteredCommand } from './capability.ts';
import { orTooLate } from '../../lib/time.ts';
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import { toolOf } from './tool.ts';

export interface CapabilityRegistry {
  /**
   * If several capabilities have the same command, the first keeps it. Throws if the capability cannot be offered.
   * Returns a function that unregisters it.
   */
  register(capability: Capability): () => void;
  readonly capabilities: readonly Capability[];
  /** Commands that are switched on and could work at the last check, in the order of registration. */
  list(): readonly RegisteredCommand[];
  /** Finds a command that is switched on, whether it can work here or not. */
  find(name: string): RegisteredCommand | undefined;
  /** The switch that turns a command off. Undefined if the command is on or unknown. */
  switchOf(name: string): string | undefined;
  /** The missing backend of a command at the last check. Undefined if none is missing. */
  lackOf(name: string): MissingBackend | undefined;
  /** Checks every capability, switched on or not. `list` uses the result. */
  readiness(): Promise<readonly CapabilityReadiness[]>;
  /** Called after each change of the commands. */
  onChange(listener: () => void): () => void;
  /** Applies changed switches. */
  reconsider(): void;
  close(): Promise<void>;
}

export interface CapabilityReadiness {
  readonly category: string;
  readonly states: readonly SwitchedReadiness[];
}

export type SwitchedReadiness = Readiness & {
  /** A name of `device.capabilities`: the switch that is off, else the most specific one. */
  readonly switch: string;
  readonly enabled: boolean;
};

export interface RegistryParts {
  /** Whether a switch is on. `switchName`: a name of `device.capabilities`. */
  isOn(switchName: string): boolean;
  readonly log?: Pick<Log, 'warn'>;
  readonly limits?: RegistryLimits;
}

/** Timeouts of a capability: for its readiness check, and to close. */
export interface RegistryLimits {
  readonly checkMs: number;
  readonly closeMs: number;
}

const LIMITS: RegistryLimits = { checkMs: 10_000, closeMs: 8_000 };

/** Commands with a second switch besides that of their category. */
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
  /** Commands that cannot work here. */
  let lacks: ReadonlyMap<string, MissingBackend> = new Map();
  let checks = 0;
  let newestCheck = 0;

  /** The switch that is off. Undefined if the command is on. */
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
    // Closes capabilities that were switched off or unregistered.
    for (const capability of active)
      if (!capabilities.has(capability) || !isOn(capability.category)) void end(capability);
    active = [...capabilities].filter(({ category }) => isOn(category));
    commands = new Map();
    for (const capability of capabilities)
      for (const [name, command] of capability.commands)
        if (!commands.has(name)) commands.set(name, { name, capability, command });
    for (const listener of listeners) listener();
  }

  /** Ignores an older check that finished later. */
  function apply(check: number, found: readonly CapabilityReadiness[]): void {
    if (check < newestCheck) return;
    newestCheck = check;
    const missing = found
      .flatMap(({ states }) => states)
      .filter(
        (state): state is SwitchedReadiness & MissingBackend => !state.available && state.isRule !== true,
      )
      .flatMap((state) => state.commands.map((name) => [name, state] as const));
    const before = lacks;
    lacks = new Map(missing);
    if (lacks.size !== before.size || missing.some(([name]) => !before.has(name))) changed();
  }

  async function statesOf(capability: Capability): Promise<readonly Readiness[]> {
    if (capability.readiness === undefined) return [builtIn(capability)];
    try {
      return await orTooLate(capability.readiness(), limits.checkMs);
    } catch (error) {
      log?.warn('the readiness check of a capability failed', { capability: capability.category, error });
      const commands = [...capability.commands.keys()];
      return [{ commands, available: false, reason: 'its readiness check failed', hint: SEE_LOG }];
    }
  }

  /** A capability that fails to close does not keep the others, or the hub, from closing. */
  async function end(capability: Capability): Promise<void> {
    try {
      await orTooLate(capability.close?.(), limits.closeMs);
    } catch (error) {
      log?.warn('a capability failed to close', { capability: capability.category, error });
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
    list: () => [...commands.values()].filter((each) => offBy(each) === undefined && !lacks.has(each.name)),
    find(name) {
      const found = commands.get(name);
      return found === undefined || offBy(found) !== undefined ? undefined : found;
    },
    switchOf(name) {
      const found = commands.get(name);
      return found && offBy(found);
    },
    lackOf(name) {
      const found = commands.get(name);
      return found === undefined || offBy(found) !== undefined ? undefined : lacks.get(name);
    },
    async readiness() {
      const check = ++checks;
      const found = await Promise.all(
        [...capabilities].map(async (capability) => {
          const states = await statesOf(capability);
          return {
            category: capability.category,
            states: states.flatMap((state) => bySwitch(state, capability)),
          };
        }),
      );
      apply(check, found);
      return found;
    },
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

const SEE_LOG = 'See the log of the hub.';

/** MCP 2025-11-25, "Tool Names". */
const VALID_NAME = /^[\w.-]{1,128}$/;

/** Checked before registration: one invalid tool would break the whole offer. */
function checkOfferable(capability: Capability): void {
  for (const [name, command] of capability.commands) {
    if (!VALID_NAME.test(name))
      throw new PincerError('ARGUMENT_INVALID', `${visible(name)} is not a valid name of a command.`, {
        hint: 'A name has at most 128 letters, digits, "_", "-" and ".".',
      });
    try {
      toolOf({ name, capability, command });
    } catch (cause) {
      throw new PincerError('ARGUMENT_INVALID', `The command ${name} cannot be offered.`, {
        hint: 'It needs annotations, and zod schemas (version 4) of its input and output that JSON Schema can express.',
        cause,
      });
    }
  }
}
