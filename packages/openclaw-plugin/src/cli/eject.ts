/** `openclaw pincer eject`: removes the plugin's entries from OpenClaw's file, and restores the person's servers on request. */
import { isDeepStrictEqual } from 'node:util';
import { PincerError } from 'pincer/client';
import { readMark } from '../entries/entry.ts';
import {
  dropConsent,
  entryIn,
  isPart,
  mcpServersIn,
  partAt,
  readEntry,
  writeEntry,
  type Part,
} from '../host-config.ts';
import type { HostConfigFile } from '../host.ts';

/** Removes our entries from OpenClaw's file, and applies `prepare` in the same write. Resolves to their names. */
export type Eject = (
  config: HostConfigFile,
  home: string,
  prepare: (draft: Record<string, unknown>) => void,
) => Promise<readonly string[]>;

interface EjectParts {
  readonly config: HostConfigFile;
  readonly home: string;
  readonly eject: Eject;
  /** The person's servers as entries of OpenClaw; without secrets unless `withSecrets`. */
  servers(withSecrets: boolean): Promise<OpenClawServers>;
  write(text: string): void;
}

const EXIT = { ok: 0, failure: 1, usage: 2 };
const OPTIONS = ['--restore-servers', '--with-secrets'];
const USAGE = `Usage: openclaw pincer eject [--restore-servers [--with-secrets]]
  --restore-servers  write your servers to mcp.servers, as entries of OpenClaw's own
  --with-secrets     also servers with secrets of Pincer's vault, as clear text in openclaw.json
`;

export async function ejectEntries(words: readonly string[], parts: EjectParts): Promise<number> {
  const { config, home, eject, write } = parts;
  const withSecrets = words.includes('--with-secrets');
  const isRestoring = words.includes('--restore-servers');
  if (words.some((word) => !OPTIONS.includes(word)) || (withSecrets && !isRestoring)) {
    write(USAGE);
    return EXIT.usage;
  }
  const wasOn = readEntry(config.current(), ['enabled']) !== false;
  try {
    const servers = isRestoring ? await parts.servers(withSecrets) : NONE;
    const occupied = new Set<string>();
    const names = await eject(config, home, (draft) => {
      // In the same write, because a running gateway would write the entries again.
      const entry = entryIn(draft);
      entry['enabled'] = false;
      dropConsent(entry);
      for (const key of restoreServers(draft, servers)) occupied.add(key);
    });
    write(
      names.length === 0
        ? 'mcp.servers has no entry of Pincer.\n'
        : `Removed from mcp.servers: ${names.join(', ')}.\n`,
    );
    if (isRestoring) write(renderRestored(servers, occupied));
    write(remainsText(config, home));
    return EXIT.ok;
  } catch (error) {
    // OpenClaw runs no command of a disabled plugin, so eject could not be repeated.
    if (wasOn) await writeEntry(config, ['enabled'], true).catch(() => undefined);
    const { message, hint } = PincerError.from(error);
    write(`${message}\nThe plugin is still enabled. ${hint ?? 'Run `openclaw pincer eject` again.'}\n`);
    return EXIT.failure;
  }
}

function remainsText(config: HostConfigFile, home: string): string {
  const settings = readEntry(config.current(), ['config']);
  const kept =
    isPart(settings) && Object.keys(settings).length > 0
      ? 'Your settings stay at plugins.entries.mcp-client.config until you uninstall the plugin.\n'
      : '';
  return `The plugin is disabled. To enable it again: openclaw plugins enable mcp-client
To remove it: openclaw plugins uninstall mcp-client. Pincer's own folder stays: ${home}
${kept}`;
}

const NONE: OpenClawServers = { servers: {}, leftOut: [], notes: [], clear: [] };

/** The output of `pincer openclaw servers --json`. */
export interface OpenClawServers {
  /** Entries of `mcp.servers`, by key. */
  readonly servers: Readonly<Record<string, Part>>;
  /** Servers without an entry, and why. */
  readonly leftOut: readonly Remark[];
  /** Settings that OpenClaw does not have. */
  readonly notes: readonly Remark[];
  /** Settings that contain a secret of the vault in clear text. */
  readonly clear: readonly Remark[];
}

interface Remark {
  readonly name: string;
  readonly text: string;
}

/** Writes entries into a draft, and never replaces a person's own. Returns the keys that a person uses for another entry. */
function restoreServers(draft: Record<string, unknown>, { servers }: OpenClawServers): string[] {
  const present = mcpServersIn(draft);
  const isFree = (key: string): boolean =>
    !Object.hasOwn(present, key) || readMark(present[key]) !== undefined;
  const all = Object.entries(servers);
  const added = all.filter(([key]) => isFree(key));
  if (added.length > 0)
    draft['mcp'] = { ...partAt(draft, 'mcp'), servers: { ...present, ...Object.fromEntries(added) } };
  return all.flatMap(([key, entry]) => (isFree(key) || isDeepStrictEqual(present[key], entry) ? [] : key));
}

function renderRestored(given: OpenClawServers, occupied: ReadonlySet<string>): string {
  const written = Object.keys(given.servers).filter((key) => !occupied.has(key));
  const lines = [
    written.length === 0
      ? 'No server was written to mcp.servers.'
      : `Written to mcp.servers, as OpenClaw's own: ${written.join(', ')}.`,
    ...[...occupied].map((key) => `${key}: not written, because mcp.servers has your own entry ${key}.`),
    ...given.leftOut.map(({ name, text }) => `${name}: left out, ${text}`),
    ...given.clear.map(({ name, text }) => `${name}: ${text} is now in clear text in openclaw.json.`),
    ...given.notes.map(({ name, text }) => `${name}: ${text}`),
  ];
  return `${lines.join('\n')}\n`;
}
