/** The owner process: lease, leftovers, store, hub, listener, hub.json; undone in the opposite order. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readOpenClawSettings } from './config/openclaw-file.ts';
import { isDeviceOffered } from './config/device-schema.ts';
import { takeLegacySettings } from './config/legacy-settings.ts';
import { choosePort } from './config/port.ts';
import type { ProxySettings } from './config/proxy-settings.ts';
import type { ProxyReport } from './control/contract/status.ts';
import type { Config } from './config/schema.ts';
import type { Environment } from './lib/process.ts';
import { PincerError } from './core/errors.ts';
import { DEFAULT_LIMITS } from './core/limits.ts';
import type { NodeView } from './core/node-state.ts';
import type { Log } from './core/ports.ts';
import { openConfigFile, type ConfigFile } from './daemon/config-file.ts';
import { observe, retentionOf } from './daemon/observation.ts';
import { createDevicePlace } from './daemon/device-place.ts';
import { openNodeDesk } from './daemon/node.ts';
import { writeOwnHubFile } from './daemon/own-hub-file.ts';
import { openSignInDesk } from './daemon/sign-in.ts';
import type { ProxyOptions } from './apps/proxy-options.ts';
import { openDoorsOf, warnOnceUsed, tellOfDotEnv } from './daemon/proxy-report.ts';
import { createProxySettings } from './apps/proxy-settings.ts';
import { openSurfaces } from './daemon/surfaces.ts';
import { createHub, type HubPorts } from './hub.ts';
import type { AppSettings } from './apps/apps.ts';
import { approvalNotice, severalApprovals } from './observe/approval-notice.ts';
import { createDesktopNotice } from './observe/desktop-notice.ts';
import { clock } from './lib/time.ts';
import type { HubFile } from './owner/hub-file.ts';
import { watchIdle } from './owner/idle.ts';
import { endLeftovers, openJournal } from './owner/journal.ts';
import { ownFolder } from './owner/lease.ts';
import { openChildFolders } from './owner/neutral-folder.ts';
import { finishSwap } from './owner/restore-swap.ts';
import { createSpawn, trackChildren } from './owner/spawn.ts';
import { createRunGuard } from './owner/run-guard.ts';
import { createPrograms } from './owner/run-program.ts';
import { configPath, prepareStateFolder, writeFileAtomically } from './owner/state-folder.ts';
import { openGrantFiles } from './owner/grant-files.ts';
import { createGrants } from './servers/oauth/grants/grant-store.ts';
import { removeLeftFolders, RUN_FOLDERS } from './device/programs/run-folder.ts';
import type { Capability } from './device/registry/capability.ts';
import { storeFiles } from './store/files.ts';
import { openStore } from './store/sqlite.ts';
import { startUpkeep } from './store/upkeep.ts';
import { createSealer } from './store/sealer.ts';

export interface DaemonOptions {
  readonly home: string;
  /** A background hub was started by a command: it takes a free port, connects when asked, and ends when idle. */
  readonly mode: 'foreground' | 'background';
  /** Wins over the environment and the configuration. */
  readonly port: number | undefined;
  /** The app proxy, and what wins over its settings; absent: there is none. */
  readonly proxy?: ProxyOptions | undefined;
  /** Whether this machine is offered, unless the configuration says no. `when-paired`: while it is a node of a gateway. */
  readonly device?: boolean | 'when-paired' | undefined;
  /** It is a node of a gateway whatever the configuration says, and serves nothing on `/`. */
  readonly node?: boolean | undefined;
  readonly env: Environment;
  /** Given what `debug` says in the configuration. */
  readonly createLog: (debug: boolean) => Log;
}

export interface Daemon {
  /** As it was at the start. */
  readonly hubFile: HubFile;
  readonly servers: readonly string[];
  /** This machine as a node of a gateway, where it is offered. */
  readonly node: NodeView | undefined;
  /** Of the app proxy, if there is one: which sides need no token, and what is risky about its settings. */
  readonly doors: { readonly open: ProxyReport['open']; readonly warnings: readonly string[] } | undefined;
  /** Something more that this machine can do: there at once, on every surface. Gives back what takes it away again. */
  register(capability: Capability): () => void;
  /** Resolves when the daemon has ended: by `stop`, on request, or because it was idle. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** How long calls under way may take to end when the hub is told to stop. */
const DRAIN_MS = 2_000;
const DRAIN_CHECK_MS = 20;

export async function runDaemon(options: DaemonOptions): Promise<Daemon> {
  const isAlone = options.proxy?.isAlone === true;
  const file = openConfigFile(options.home, options.env, isAlone ? withoutServers : undefined);
  const legacy = options.device === true ? takeLegacy(options) : undefined;
  // Read before anything is done: a file that cannot be read starts nothing.
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
  /** Settings of OpenClaw's app for Windows that were taken over just now. */
  readonly legacy: string | undefined;
}

/** Before the configuration is read: they are written into it. */
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
  if (legacy !== undefined) log.info('took over settings of the OpenClaw app, once', { path: legacy });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const stop = async (): Promise<void> => {
    if (!undo.disposed) void undo.disposeAsync().then(end);
    await ended;
  };

  undo.adopt(ownFolder(home), (lease) => lease.release());
  if (finishSwap(home)) log.warn('finished a restore that was interrupted');
  for (const { pid, command } of await endLeftovers(home))
    log.info('ended what a dead hub had left', { pid, command });
  // A hub that was killed left them behind, with things of the person in them.
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
      'a server left files in its temporary folder, which is gone now; "cwd" gives it one that stays',
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
  const signIns = undo.adopt(openSignInDesk({ hub, grants, clock, log }), (it) => it.stop());
  const node =
    hub.device && openNodeDesk({ isForced: options.node === true, home, env, hub, followed, clock });
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
  if (proxy?.current !== undefined) tellOfDotEnv(proxy.current.settings, log);
  if (proxy !== undefined && !isAlone) undo.defer(warnOnceUsed(proxy, hub.apps!, log));

  // What runs may end; what does not in time is told that nobody knows how it ended.
  undo.defer(async () => {
    listener.stopAccepting();
    proxy?.current?.stopAccepting();
    // Nobody answers for a person who has not: such calls end at once, and the questions stay.
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
        // A machine that is a node stays one when nobody asks it for a while.
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
  // Last, because who finds the file connects; and so the first thing to go.
  const hubFile = writeOwnHubFile({ home, mode, surfaces, followed, log }, undo);
  const register: Daemon['register'] = (capability) => {
    if (hub.device !== undefined) return hub.device.registry.register(capability);
    throw new PincerError('CONFIG_INVALID', 'This hub does not offer its machine.', {
      hint: 'Run it with `device: true`, and see that "device.enabled" is not false.',
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
  open: openDoorsOf(settings),
  warnings: settings.warnings,
});

const withoutServers = (config: Config): Config => ({ ...config, servers: {}, failed: [] });

/** No app comes where the proxy is off, or where its settings are wrong: the proxy itself says why. */
function appSettingsOf(config: Config, settingsOf: (config: Config) => AppSettings): AppSettings {
  const { appSessionTtlMs, appCallMs } = { ...DEFAULT_LIMITS, ...config.limits };
  const none = { appToken: undefined, apps: [], sessionTtlMs: appSessionTtlMs, toolTimeoutMs: appCallMs };
  try {
    return config.proxy.enabled ? settingsOf(config) : none;
  } catch {
    return none;
  }
}
