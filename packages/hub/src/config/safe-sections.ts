/**
 * Removes invalid settings from a configuration. An invalid section is switched off. If that would allow more than the
 * person wrote (a rule, a switch, a token), it is replaced by the strictest value.
 */
import { closest } from '../lib/text.ts';
import { isRecord } from '../lib/record.ts';
import { stricter, type Decision } from '../core/policy.ts';
import { CAPABILITY_SWITCHES, type CapabilitySwitch } from './device-schema.ts';

type Path = readonly PropertyKey[];
type Part = Readonly<Record<string, unknown>>;

export interface SafeConfig {
  /** Valid by the schema. */
  readonly value: Part;
  /** What is switched off, by section. */
  readonly effects: ReadonlyMap<string, string>;
  /** As in `ProxyConfig`. */
  readonly wrongProxy: 'apps' | 'all' | undefined;
}

interface Repair {
  readonly value: unknown;
  readonly effect?: string;
}

/** `wrong`: paths within the section; an empty one is the section itself. */
type Repairer = (written: Part, wrong: readonly Path[]) => Repair;

/** If one of these is misspelt, the forbidden action must not become allowed. */
const GUARDS: readonly string[] = ['policy', 'device', 'proxy', 'agent', 'store', 'telemetry'];

const REPAIRS: Readonly<Record<string, Repairer>> = {
  servers: (written, wrong) =>
    hasWhole(wrong)
      ? { value: {}, effect: 'None of these servers is used.' }
      : {
          value: omit(
            written,
            wrong.map(([name]) => String(name)),
          ),
        },
  policy: (written, wrong) => {
    const { default: given, notify } = written;
    const onlyNotify = wrong.every(([key]) => key === 'notify');
    if (onlyNotify) return { value: omit(written, ['notify']), effect: 'Notices are shown.' };
    const fallback = isDecision(given) ? stricter(given, 'ask') : 'ask';
    const effect =
      fallback === 'ask'
        ? 'Until it is corrected, every call without its own rule needs your approval.'
        : 'Until it is corrected, every call without its own rule is denied.';
    return { value: { default: fallback, ...(typeof notify === 'boolean' && { notify }) }, effect };
  },
  agent: (written, wrong) =>
    wrong.every(([key]) => key === 'transcription')
      ? { value: omit(written, ['transcription']), effect: 'Speech is not turned into text.' }
      : { value: { enabled: false }, effect: "OpenClaw's agent is not offered." },
  proxy: (written, wrong) => {
    const apps = appsWithout(written['apps'], wrong);
    return apps === undefined
      ? { value: { enabled: false }, effect: 'The app proxy is off.' }
      : { value: { ...written, apps }, effect: 'The token of this app does not work.' };
  },
  device: repairDevice,
  telemetry: () => ({ value: {}, effect: 'Telemetry is off.' }),
  store: (written, wrong) => {
    const all = hasWhole(wrong) || wrong.some(([key]) => !Object.hasOwn(CAREFUL_STORE, key!));
    const strict = all
      ? CAREFUL_STORE
      : pick(
          CAREFUL_STORE,
          wrong.map(([key]) => String(key)),
        );
    const kept = all ? {} : pick(written, Object.keys(CAREFUL_STORE));
    return { value: { ...kept, ...strict }, effect: STORE_EFFECT };
  },
  limits: (written, wrong) => ({
    value: hasWhole(wrong)
      ? {}
      : omit(
          written,
          wrong.map(([key]) => String(key)),
        ),
    effect: 'The default applies.',
  }),
};

/** Deletes nothing that the person may want to keep, and records nothing that they may not want. */
const CAREFUL_STORE: Part = { keepDays: 3_650, keepMegabytes: 100_000, arguments: 'none' };
const STORE_EFFECT =
  'Until it is corrected, a careful value applies: the call log is kept as long as possible, or no arguments are recorded.';

const USE_DEFAULT: Repairer = () => ({ value: undefined, effect: 'The default applies.' });

/** `wrong`: paths of all invalid settings; `sections`: all names of sections. */
export function safeConfig(config: Part, wrong: readonly Path[], sections: readonly string[]): SafeConfig {
  const effects = new Map<string, string>();
  const repaired = new Map<string, unknown>();
  for (const [section, paths] of bySection(wrong, sections)) {
    const written = isRecord(config[section]) ? config[section] : {};
    const repair = Object.hasOwn(REPAIRS, section) ? REPAIRS[section]! : USE_DEFAULT;
    const { value, effect } = repair(written, paths);
    repaired.set(section, value);
    if (effect !== undefined) effects.set(section, effect);
  }
  const names = new Set([...Object.keys(config).filter((key) => sections.includes(key)), ...repaired.keys()]);
  const parts = [...names].map(
    (name) => [name, repaired.has(name) ? repaired.get(name) : config[name]] as const,
  );
  const proxy = repaired.get('proxy');
  return {
    value: Object.fromEntries(parts.filter(([, part]) => part !== undefined)),
    effects,
    wrongProxy: proxy === undefined ? undefined : isRecord(proxy) && 'apps' in proxy ? 'apps' : 'all',
  };
}

function bySection(wrong: readonly Path[], sections: readonly string[]): Map<string, Path[]> {
  const found = new Map<string, Path[]>();
  for (const [first, ...rest] of wrong) {
    const section = sectionOf(String(first), sections);
    if (section === undefined) continue;
    // Members of a misspelt section do not count as members of the right one.
    found.set(section, [...(found.get(section) ?? []), section === first ? rest : []]);
  }
  return found;
}

/** Returns the section of a setting, also if it is misspelt. Undefined for an unknown section, which affects nothing. */
export function sectionOf(name: string, sections: readonly string[]): string | undefined {
  if (sections.includes(name)) return name;
  const near =
    closest(name, sections) ?? GUARDS.find((guard) => name.toLowerCase().startsWith(guard.slice(0, -1)));
  return near !== undefined && GUARDS.includes(near) ? near : undefined;
}

/** Removes invalid apps. Returns undefined if more than single apps is invalid. */
function appsWithout(apps: unknown, wrong: readonly Path[]): unknown[] | undefined {
  if (!Array.isArray(apps)) return undefined;
  const places = wrong.map(([key, index]) => (key === 'apps' && typeof index === 'number' ? index : -1));
  return places.includes(-1) ? undefined : apps.filter((_, index) => !places.includes(index));
}

/** Capabilities that depend on a setting of `device`. Any other invalid setting switches all capabilities off. */
const NEEDED_FOR: Readonly<Record<string, readonly CapabilitySwitch[]>> = {
  port: [],
  name: [],
  position: ['location'],
  browser: ['canvas', 'camera', 'location'],
  speech: ['tts'],
};
/** Settings of the node. An invalid one switches it off, so that no gateway gets more than the person wrote. */
const OF_NODE: readonly string[] = ['nodeMode', 'gatewayUrl', 'gatewayFingerprint', 'publish'];

function repairDevice(written: Part, wrong: readonly Path[]): Repair {
  const keys = new Set(wrong.map(([key]) => key));
  const isAll = [...keys].some(
    (key) =>
      key === undefined ||
      !['capabilities', 'policy', 'mcpServer', ...OF_NODE, ...Object.keys(NEEDED_FOR)].includes(String(key)),
  );
  if (isAll) return { value: DEVICE_OFF, effect: 'This machine is not offered.' };
  const isNodeWrong = OF_NODE.some((key) => keys.has(key));
  const off = [...keys].flatMap((key) => NEEDED_FOR[String(key)] ?? []);
  return {
    value: {
      ...omit(written, [...keys].map(String).concat(isNodeWrong ? OF_NODE : [])),
      ...(keys.has('mcpServer') && { mcpServer: false }),
      ...(isNodeWrong && { nodeMode: false }),
      ...(keys.has('policy') && { policy: repairRules(written['policy'], wrong) }),
      capabilities: repairSwitches(written['capabilities'], wrong, off),
    },
    effect: deviceEffect(keys, isNodeWrong, off),
  };
}

/** Not `enabled: false`, so that a corrected section works again without a restart. */
const DEVICE_OFF: Part = {
  mcpServer: false,
  nodeMode: false,
  capabilities: Object.fromEntries(CAPABILITY_SWITCHES.map((name) => [name, false])),
  policy: { '*': 'deny' },
};

/** An unknown name may be a misspelt switch to turn off, so only switches that are explicitly true stay on. */
function repairSwitches(written: unknown, wrong: readonly Path[], off: readonly string[]): Part {
  const given = isRecord(written) ? written : {};
  const names = wrong.filter(([key]) => key === 'capabilities').map(([, name]) => name);
  const isUnclear = names.some((name) => !(CAPABILITY_SWITCHES as readonly unknown[]).includes(name));
  return Object.fromEntries(
    CAPABILITY_SWITCHES.flatMap((name) => {
      if (off.includes(name) || names.includes(name)) return [[name, false]];
      if (Object.hasOwn(given, name)) return [[name, given[name] === true]];
      return isUnclear ? [[name, false]] : [];
    }),
  );
}

/** An invalid rule becomes a denial. */
function repairRules(written: unknown, wrong: readonly Path[]): Part {
  const rules = wrong.filter(([key]) => key === 'policy').map(([, tool]) => tool);
  if (!isRecord(written) || rules.includes(undefined)) return { '*': 'deny' };
  return { ...written, ...Object.fromEntries(rules.map((tool) => [String(tool), 'deny'])) };
}

function deviceEffect(
  keys: ReadonlySet<PropertyKey | undefined>,
  isNodeWrong: boolean,
  off: readonly string[],
): string {
  const effects = [
    ...(keys.has('capabilities') ? ['An invalid switch is off.'] : []),
    ...(keys.has('policy') ? ['An invalid rule denies.'] : []),
    ...(keys.has('mcpServer') ? ['This machine is not served at /.'] : []),
    ...(isNodeWrong ? ['This machine is not a node of a gateway.'] : []),
    ...(off.length > 0 ? [`Switched off: ${off.join(', ')}.`] : []),
  ];
  return effects.length === 0 ? 'The default applies.' : effects.join(' ');
}

const isDecision = (value: unknown): value is Decision =>
  value === 'allow' || value === 'ask' || value === 'deny';

const hasWhole = (wrong: readonly Path[]): boolean => wrong.some((path) => path.length === 0);

const omit = (part: Part, keys: readonly string[]): Part =>
  Object.fromEntries(Object.entries(part).filter(([key]) => !keys.includes(key)));

const pick = (part: Part, keys: readonly string[]): Part =>
  Object.fromEntries(Object.entries(part).filter(([key]) => keys.includes(key)));
