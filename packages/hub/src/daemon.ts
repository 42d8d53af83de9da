/** The owner process: lease, leftovers, store, hub, listener, hub.json. Stopping undoes all of it in reverse order. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProxyOptions } from './apps/proxy-options.ts';
import { createProxySettings } from './apps/proxy-settings.ts';
import { isDeviceOffered } from './config/device-schema.ts';
import { takeLegacySettings } from './config/legacy-settings.ts';
import { readOpenClawSettings } from './config/openclaw-file.ts';
import { choosePort } from './config/port.ts';
import type { ProxySettings } from './config/proxy-settings.ts';
import type { Config } from './config/schema.ts';
import type { ProxyReport } from './control/contract/status.ts';
import { PincerError } from './core/errors.ts';
import type { NodeView } from './core/node-state.ts';
import type { Log } from './core/ports.ts';
import { type ConfigFile, openConfigFile } from './daemon/config-file.ts';
import { createDevicePlace } from './daemon/device.ts';
import { openNodeController } from './daemon/node.ts';
import { observe, retentionOf } from './daemon/observation.ts';
import { appSettingsOf, logDotEnv, tokenlessSidesOf, warnOnceUsed } from './daemon/proxy.ts';
import { openSignInService } from './daemon/sign-in.ts';
import { openSurfaces, writeOwnHubFile } from './daemon/surfaces.ts';
import { removeLeftFolders, RUN_FOLDERS } from './device/programs/run-folder.ts';
import type { Capability } from './device/registry/capability.ts';
import { createHub, type HubPorts } from './hub.ts';
import type { Environment } from './lib/process.ts';
import { clock } from './lib/time.ts';
import { approvalNotice, severalApprovals } from './observe/approval-notice.ts';
import { createDesktopNotice } from './observe/desktop-notice.ts';
import { openGrantFiles } from './owner/grant-files.ts';
import type { HubFile } from './owner/hub-file.ts';
import { endLeftovers, openJournal } from './owner/journal.ts';
import { ownFolder } from './owner/lease.ts';
import { openChildFolders } from './owner/neutral-folder.ts';
import { finishSwap } from './owner/restore-swap.ts';
import { createRunGuard } from './owner/run-guard.ts';
import { createPrograms } from './owner/run-program.ts';
import { createSpawn, trackChildren } from './owner/spawn.ts';
import { configPath, prepareStateFolder, writeFileAtomically } from './owner/state-folder.ts';
import { createGrants } from './servers/oauth/grants/grant-store.ts';
import { storeFiles } from './store/files.ts';
import { createSealer } from './store/sealer.ts';
import { openStore } from './store/sqlite.ts';
import { startUpkeep } from './store/upkeep.ts';

export interface DaemonOptions {
  readonly home: string;
  /** A background hub is started by a command. It takes a free port, connects on demand, and exits when idle. */
  readonly mode: 'foreground' | 'background';
  /** Overrides the environment and the configuration. */
  readonly port: number | undefined;
  /** The app proxy with overrides of its settings. Absent if there is none. */
  readonly proxy?: ProxyOptions | undefined;
  /** Whether this machine is offered, unless the configuration disables it. `when-paired`: while it is a node of a gateway. */
  readonly device?: boolean | 'when-paired' | undefined;
  /** Runs as a node of a gateway even if the configuration says otherwise, and serves nothing on `/`. */
  readonly node?: boolean | undefined;
  readonly env: Environment;
  /** Called with `debug` of the configuration. */
  readonly createLog: (debug: boolean) => Log;
}

export interface Daemon {
  /** The content of hub.json at the start. */
  readonly hubFile: HubFile;
  readonly servers: readonly string[];
  /** This machine as a node of a gateway, if it is offered. */
  readonly node: NodeView | undefined;
  /** The app proxy's sides that need no token, and its warnings. Undefined without a proxy. */
  readonly doors: { readonly open: ProxyReport['open']; readonly warnings: readonly string[] } | undefined;
  /** Adds a capability to this machine, at once and on every surface. Returns a function that removes it. */
  register(capability: Capability): () => void;
  /** Resolves when the daemon has ended: by `stop`, on request, or because it was idle. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** How long calls under way may take to end when the hub stops. */
const DRAIN_MS = 2_000;
const DRAIN_CHECK_MS = 20;
const IDLE_CHECK_MS = 1_000;

export async function runDaemon(options: DaemonOptions): Promise<Daemon> {
  const isAlone = options.proxy?.isAlone === true;
  const file = openConfigFile(options.home, options.env, isAlone ? withoutServers : undefined);
  const legacy = options.device === true ? takeLegacy(options) : undefined;
  // Read first: if the file cannot be read, nothing is started.
  const config = file.load();
  const undo = new AsyncDisposableStack();
  try {
    return await start(options, { file, config, legacy }, undo);
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}

interface Configured {
  readonly file: ConfigFile;
  readonly config: Config;
  /** File of OpenClaw's app for Windows whose settings were imported just now. */
  readonly legacy: string | undefined;
}

/** Runs before the configuration is read, because it writes the settings into it. */
function takeLegacy({ home, env }: DaemonOptions): string | undefined {
  prepareStateFolder(home);
  return takeLegacySettings({ home, env, configPath: configPath(home), write: writeFileAtomically });
}

async function start(
  options: DaemonOptions,
  { file, config, legacy }: Configured,
  undo: AsyncDisposableStack,
): Promise<Daemon> {
  const { home, env, mode } = options;
  const port = portOf(options, config);
  const proxySettings = options.proxy && createProxySettings(options.proxy, env, port);
  const isAlone = options.proxy?.isAlone === true;
  const log = options.createLog(config.debug);
  if (legacy !== undefined) log.info('imported the settings of the OpenClaw app', { path: legacy });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const stop = async (): Promise<void> => {
    if (!undo.disposed) void undo.disposeAsync().then(end);
    await ended;
  };

  undo.adopt(ownFolder(home), (lease) => lease.release());
  if (finishSwap(home)) log.warn('finished a restore that was interrupted');
  for (const { pid, command } of await endLeftovers(home))
    log.info('ended a process that a dead hub had left', { pid, command });
  // A killed hub may have left folders with private files of the person.
  const hasDevice = options.device === true || options.device === 'when-paired';
  if (hasDevice) await Promise.all(RUN_FOLDERS.map((kind) => removeLeftFolders(home, kind)));
  const journal = undo.adopt(openJournal(home), (it) => it.close());
  const store = undo.adopt(
    openStore(storeFiles(home), clock, {
      retention: retentionOf(config),
      writeFile: writeFileAtomically,
      onIncident: ({ message, at: _at, ...rest }) => log.warn(message, rest),
      onPruneFailed: (error) => log.warn('old calls could not be removed', { error }),
    }),
    (it) => it.close(),
  );
  const observation = observe(config, { clock, log, store }, undo);
  const folders = openChildFolders(home, (command, count) =>
    log.warn(
      'a server left files in its temporary folder, which was removed; set "cwd" to give it a permanent folder',
      {
        command,
        count,
      },
    ),
  );
  const children = undo.adopt(trackChildren(createSpawn(journal, folders)), (it) => it.endAll());
  const programs = undo.adopt(createPrograms(journal, createRunGuard()), (it) => it.endAll());
  const desktop = undo.adopt(
    createDesktopNotice({ platform: process.platform, env, log, several: severalApprovals }),
    (it) => it.close(),
  );
  const grants = createGrants(openGrantFiles(home, env));
  const ports: HubPorts = {
    clock,
    log,
    store,
    spawn: children.spawn,
    sealer: createSealer(),
    observers: observation.observers,
    env,
    grants,
    agent: isAlone ? undefined : { home, openClaw: () => readOpenClawSettings(env) },
    device:
      hasDevice && isDeviceOffered(config.device, env)
        ? createDevicePlace({
            home,
            isOnlyForNode: options.device === 'when-paired',
            run: programs.run,
            followed: () => followed,
            node: () => node,
          })
        : undefined,
    appSettings: proxySettings && ((next) => appSettingsOf(next, proxySettings)),
    notify: (approval) => desktop.show(approvalNotice(approval)),
  };
  const hub = undo.adopt(createHub(config, ports), (it) => it.stop());
  undo.adopt(
    startUpkeep({
      files: storeFiles(home),
      store,
      clock,
      ...config.store,
      isIdle: () => hub.callsInFlight === 0,
      onFailed: (error) => log.warn('the files of the state could not be checked', { error }),
    }),
    (it) => it.close(),
  );
  const followed = undo.adopt(file.follow(hub, config, log), (it) => it.close());
  const signIns = undo.adopt(openSignInService({ hub, grants, clock, log }), (it) => it.stop());
  const node =
    hub.device && openNodeController({ isForced: options.node === true, home, env, hub, followed, clock });
  undo.defer(() => node?.close());
  const surfaces = await openSurfaces(
    {
      home,
      node,
      isNodeAlone: options.node === true,
      mode,
      port,
      proxy: proxySettings && { config, isAlone, settingsOf: proxySettings },
      hub,
      followed,
      signIns,
      observation,
      clock,
      store,
      stop: () => void stop(),
    },
    undo,
  );
  const { listener, proxy } = surfaces;
  if (proxy?.current !== undefined) logDotEnv(proxy.current.settings, log);
  if (proxy !== undefined && !isAlone) undo.defer(warnOnceUsed(proxy, hub.apps!, log));

  // Running calls may finish. Those that do not in time end with an unknown outcome.
  undo.defer(async () => {
    listener.stopAccepting();
    proxy?.current?.stopAccepting();
    // Calls that wait for an approval end at once. The approvals stay open.
    hub.approvals.stop();
    for (let waited = 0; hub.callsInFlight > 0 && waited < DRAIN_MS; waited += DRAIN_CHECK_MS)
      await sleep(DRAIN_CHECK_MS);
    await hub.stop();
    await sleep(DRAIN_CHECK_MS);
  });

  if (mode === 'foreground') hub.connectAll();
  else
    undo.defer(
      watchIdle({
        idleMs: hub.limits.idleExitMs,
        elapsed: clock.elapsed,
        // A node stays connected even without requests.
        isBusy: () =>
          node?.state() !== undefined ||
          surfaces.attached > 0 ||
          hub.isBusy ||
          hub.slots.streams.inUse > 0 ||
          signIns.count > 0,
        activity: () => listener.requests,
        onIdle: () => void stop(),
      }),
    );
  // Written last, because clients that find the file connect. So it is removed first.
  const hubFile = writeOwnHubFile({ home, mode, surfaces, followed, log }, undo);
  const register: Daemon['register'] = (capability) => {
    if (hub.device !== undefined) return hub.device.registry.register(capability);
    throw new PincerError('CONFIG_INVALID', 'This hub does not offer its machine.', {
      hint: 'Run it with `device: true`, and check that "device.enabled" is not false.',
    });
  };
  const doors = proxy?.current && doorsOf(proxy.current.settings);
  return { hubFile, servers: Object.keys(config.servers), node, doors, register, ended, stop };
}

function portOf({ port, mode, env, proxy }: DaemonOptions, config: Config): number {
  return (
    port ?? (mode === 'background' || proxy?.isAlone === true ? 0 : choosePort(env, config.device.port).port)
  );
}

const doorsOf = (settings: ProxySettings): NonNullable<Daemon['doors']> => ({
  open: tokenlessSidesOf(settings),
  warnings: settings.warnings,
});

const withoutServers = (config: Config): Config => ({ ...config, servers: {}, failed: [] });

interface IdleOptions {
  readonly idleMs: number;
  readonly elapsed: () => number;
  /** Whether work is under way. */
  isBusy(): boolean;
  /** A counter of all activity. */
  activity(): number;
  onIdle(): void;
}

/** Calls `onIdle` after `idleMs` without activity. Returns a function that stops the watching. */
function watchIdle(options: IdleOptions): () => void {
  let lastBusy = options.elapsed();
  let lastActivity = options.activity();
  const timer = setInterval(
    () => {
      const activity = options.activity();
      if (options.isBusy() || activity !== lastActivity) {
        lastActivity = activity;
        lastBusy = options.elapsed();
      } else if (options.elapsed() - lastBusy >= options.idleMs) options.onIdle();
    },
    Math.min(IDLE_CHECK_MS, options.idleMs),
  );
  return () => clearInterval(timer);
}
