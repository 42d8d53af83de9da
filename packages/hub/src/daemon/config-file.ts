/** The configuration of a running hub: read at the start, applied again when it changes, written by `pincer add`. */
import { existsSync, type FSWatcher, type Stats, unwatchFile, watch, watchFile as pollFile } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type ConfigChange, editConfigText, editServer, newProblems } from '../config/edit.ts';
import { loadConfig, parseConfig, readConfig } from '../config/load.ts';
import { openClawFilePath } from '../config/openclaw-file.ts';
import { isEmptyConfig, readConfigText } from '../config/read-file.ts';
import { createReloader, type Reloader, type ReloadReport } from '../config/reloader.ts';
import type { Config, ServerConfig } from '../config/schema.ts';
import type { ConfigProblem } from '../core/config-problem.ts';
import { PincerError } from '../core/errors.ts';
import type { Log } from '../core/ports.ts';
import type { Hub } from '../hub/interface.ts';
import type { Environment } from '../lib/process.ts';
import { configPath, writeFileAtomically } from '../owner/state-folder.ts';
import { secretsFolder } from '../owner/vault-records.ts';
import { openVault } from '../owner/vault.ts';
import type { AddOptions } from '../servers/fleet/fleet.ts';

export interface ConfigFile {
  load(): Config;
  /** Applies changes of the file to the hub until `close`. */
  follow(hub: Hub, initial: Config, log: Log): FollowedConfig;
}

export interface FollowedConfig extends Reloader {
  /** The configuration in use. */
  readonly current: Config;
  /** Called with each configuration that the hub has applied. */
  onApplied(listener: (config: Config) => void): () => void;
  /** Returns the problems that the configuration would have with this text. */
  check(text: string): readonly ConfigProblem[];
  /** Changes the file, and applies it at once. */
  change(changes: readonly ConfigChange[]): void;
  /** Connects first and writes afterwards. A server that does not work is not saved, unless it only needs a sign-in. */
  addServer(name: string, server: unknown, options?: AddOptions): Promise<void>;
  close(): void;
}

/** `adapt` changes each configuration before it is used. */
export function openConfigFile(
  home: string,
  env: Environment,
  adapt = (config: Config): Config => config,
): ConfigFile {
  const path = configPath(home);
  const vault = openVault(home, env);
  const secret = (name: string): string | undefined => vault.get(name);
  const load = (): Config => adapt(loadConfig(path, env, secret));
  const check = (text: string): readonly ConfigProblem[] => readConfig(text, path, { env, secret }).problems;

  /** Returns the edited text. Throws if the changes cause a problem. */
  function checked(edited: string, changes: readonly ConfigChange[]): string {
    const [problem] = newProblems(check(readConfigText(path)), check(edited), changes);
    if (problem === undefined) return edited;
    const { code, message, hint, missing } = problem;
    throw new PincerError(code, message, { hint, data: missing });
  }

  return {
    load,
    follow(hub, initial, log) {
      const wasThere = existsSync(path);
      const loadAgain = (): Config => {
        // A missing or empty file must not stop every server.
        if (wasThere && isEmptyConfig(path)) throw isGone(path);
        return load();
      };
      const listeners = new Set<(config: Config) => void>();
      let current = initial;
      const logProblems = createProblemLog(log);
      logProblems(initial.problems);
      const apply = (config: Config): ReturnType<Hub['reconcile']> => {
        const difference = hub.reconcile(config);
        current = config;
        logProblems(config.problems);
        for (const listener of listeners) listener(config);
        return difference;
      };
      const reloader = createReloader({ initial, load: loadAgain, apply });
      const reload = (): void => {
        try {
          logReload(reloader.reload(), log);
        } catch (error) {
          const { message, hint } = PincerError.from(error);
          log.warn('the configuration cannot be read; the hub keeps the previous one', {
            message,
            hint,
          });
        }
      };
      const onLost = (error: unknown): void =>
        log.warn('changes of the configuration are no longer detected; apply them with `pincer reload`', {
          error,
        });
      const watched = [
        ...[path, ...openClawFiles(env)].map((file) => watchFile(file, reload, onLost)),
        watchFolder(secretsFolder(home), reload),
      ];
      process.on('SIGHUP', reload);
      return {
        get current() {
          return current;
        },
        get problem() {
          return reloader.problem;
        },
        reload: () => reloader.reload(),
        check,
        onApplied(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        change(changes) {
          const edited = editConfigText(readConfigText(path), changes, path);
          writeFileAtomically(path, checked(edited, changes));
          reloader.reload();
        },
        async addServer(name, server, options) {
          const parsed = parseConfig({ servers: { [name]: server } }, env, 'The server', secret).servers[
            name
          ]!;
          // Before, to check that the file can be edited, and again afterwards: it may have changed meanwhile.
          const edited = (): string =>
            checked(editServer(path, name, server as object), [{ path: ['servers', name], value: server }]);
          edited();
          const waits = parsed.enabled ? await addTo(hub, name, parsed, options) : undefined;
          try {
            writeFileAtomically(path, edited());
          } catch (error) {
            // A server that is not saved must not run either.
            hub.reconcile(current);
            throw error;
          }
          if (waits !== undefined) throw waits;
        },
        close() {
          for (const stopWatching of watched) stopWatching();
          process.off('SIGHUP', reload);
        },
      };
    },
  };
}

/** Logs each problem once, for as long as it exists. */
function createProblemLog(log: Log): (problems: readonly ConfigProblem[]) => void {
  let logged: ReadonlySet<string> = new Set();
  return (problems) => {
    for (const { message, hint, effect } of problems)
      if (!logged.has(message)) log.warn(effect === undefined ? message : `${message} ${effect}`, { hint });
    logged = new Set(problems.map(({ message }) => message));
  };
}

/** Adds a server. Returns an error if it is saved but needs a sign-in first. */
async function addTo(
  hub: Hub,
  name: string,
  server: ServerConfig,
  options: AddOptions | undefined,
): Promise<PincerError | undefined> {
  try {
    await hub.add(name, server, options);
    return undefined;
  } catch (error) {
    if (hub.configOf(name) !== server) throw error;
    return new PincerError('SIGN_IN_NEEDED', `Server "${name}" is saved and requires a sign-in.`, {
      hint: `Run \`pincer login ${name}\`.`,
      data: { isKept: true },
      cause: error,
    });
  }
}

const isGone = (path: string): PincerError =>
  new PincerError('CONFIG_UNREADABLE', `${path} is gone or empty.`, {
    hint: 'Restore it. A configuration without servers is {}.',
  });

/** Also returns a file that does not exist yet, if its folder does. */
function openClawFiles(env: Environment): string[] {
  const file = openClawFilePath(env);
  return file !== undefined && existsSync(dirname(file)) ? [file] : [];
}

function logReload({ added, removed, changed, needsRestart }: ReloadReport, log: Log): void {
  if (added.length + removed.length + changed.length > 0)
    log.info('the configuration has changed', { added, removed, changed });
  if (needsRestart.length > 0) log.warn('some settings take effect at the next start', { needsRestart });
}

/** Editors write a file several times while they save it. */
const SETTLE_MS = 200;

/** Reports that a file may have changed. Watches its folder, because editors replace a file when they save. */
function watchFile(path: string, onChange: () => void, onFailed: (error: unknown) => void): () => void {
  const name = basename(path);
  let timer: NodeJS.Timeout | undefined;
  const settle = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MS).unref();
  };
  const watcher = begin();
  watcher?.on('error', onFailed);
  return () => {
    clearTimeout(timer);
    watcher?.close();
  };

  /** The number of watchers is limited on some systems. */
  function begin(): FSWatcher | undefined {
    try {
      return watch(dirname(path), { persistent: false }, (_event, changed) => {
        if (changed === null || changed === name) settle();
      });
    } catch (error) {
      onFailed(error);
      return undefined;
    }
  }
}

const POLL_MS = 1_000;

/** Reports that a folder may have changed. Polls it, because it may not exist yet. */
function watchFolder(path: string, onChange: () => void): () => void {
  // For a folder that does not exist, the first call reports no change.
  const onStat = (now: Stats, before: Stats): void => {
    if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino) onChange();
  };
  pollFile(path, { interval: POLL_MS, persistent: false }, onStat);
  return () => unwatchFile(path, onStat);
}
