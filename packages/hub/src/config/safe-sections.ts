/**
 * Removes wrong settings from a configuration. A wrong section is switched off. If that would allow more than the user
 * wrote (a rule, a switch, a token), the strict value takes its place.
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
      ? { value: {}, effect: 'No server of it runs.' }
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
        ? 'Until it is corrected you are asked about every call that has no rule of its own.'
        : 'Until it is corrected every call that has no rule of its own is denied.';
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
    effect: 'The default holds.',
  }),
};

/** Nothing is deleted that the person may want to keep, and nothing recorded that they may not want. */
const CAREFUL_STORE: Part = { keepDays: 3_650, keepMegabytes: 100_000, arguments: 'none' };
const STORE_EFFECT =
  'Until it is corrected the careful value holds: the record of calls is kept as long as it can be, or no arguments are recorded.';

const USE_DEFAULT: Repairer = () => ({ value: undefined, effect: 'The default holds.' });

/** `wrong` are the paths of all settings that are wrong; `sections` the names that a section may have. */
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

/** Returns the section of a setting. Undefined for an unknown section, which stops nothing. */
export function sectionOf(name: string, sections: readonly string[]): string | undefined {
  if (sections.includes(name)) return name;
  const near =
    closest(name, sections) ?? GUARDS.find((guard) => name.toLowerCase().startsWith(guard.slice(0, -1)));
  return near !== undefined && GUARDS.includes(near) ? near : undefined;
}

/** Returns undefined if more than single apps is wrong. */
function appsWithout(apps: unknown, wrong: readonly Path[]): unknown[] | undefined {
  if (!Array.isArray(apps)) return undefined;
  const places = wrong.map(([key, index]) => (key === 'apps' && typeof index === 'number' ? index : -1));
  return places.includes(-1) ? undefined : apps.filter((_, index) => !places.includes(index));
}

/** Capabilities that need a setting of `device`. A wrong setting that is handled nowhere here switches off all of them. */
const NEEDED_FOR: Readonly<Record<string, readonly CapabilitySwitch[]>> = {
  port: [],
  name: [],
  position: ['location'],
  browser: ['canvas', 'camera', 'location'],
  speech: ['tts'],
};
/** Settings of the node: a wrong one ends it, so that no gateway gets more than the person wrote. */
const OF_NODE: readonly string[] = ['nodeMode', 'gatewayUrl', 'gatewayFingerprint', 'publish'];

function repairDevice(written: Part, wrong: readonly Path[]): Repair {
  const keys = new Set(wrong.map(([key]) => key));
  const isAll = [...keys].some(
    (key) =>
      key === undefined ||
      !['capabilities', 'policy', 'mcpServer', ...OF_NODE, ...Object.keys(NEEDED_FOR)].includes(String(key)),
  );
  if (isAll) return { value: DEVICE_OFF, effect: 'Nothing of this machine is offered.' };
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

/** An unknown name may have been meant to turn any switch off, so only switches that are explicitly true are on. */
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

/** An unreadable rule becomes a denial. */
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
    ...(keys.has('capabilities') ? ['A switch that cannot be read is off.'] : []),
    ...(keys.has('policy') ? ['A rule that cannot be read denies.'] : []),
    ...(keys.has('mcpServer') ? ['Nothing of this machine is served at /.'] : []),
    ...(isNodeWrong ? ['This machine is no node of a gateway.'] : []),
    ...(off.length > 0 ? [`Off because of it: ${off.join(', ')}.`] : []),
  ];
  return effects.length === 0 ? 'The default holds.' : effects.join(' ');
}

const isDecision = (value: unknown): value is Decision =>
  value === 'allow' || value === 'ask' || value === 'deny';

const hasWhole = (wrong: readonly Path[]): boolean => wrong.some((path) => path.length === 0);

const omit = (part: Part, keys: readonly string[]): Part =>
  Object.fromEntries(Object.entries(part).filter(([key]) => !keys.includes(key)));

const pick = (part: Part, keys: readonly string[]): Part =>
  Object.fromEntries(Object.entries(part).filter(([key]) => keys.includes(key)));
