/** The owner process: lease, leftovers, store, hub, listener, hub.json; undone in the opposite order. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readOpenClawSettings } from './config/openclaw-file.ts';
import { isDeviceOffered } from './config/device-schema.ts';
import { takeLegacySettings } from './config/legacy-settings.ts';
import { choosePort } from './config/port.ts';
import type { Config } from './config/schema.ts';
import type { Environment } from './core/environment.ts';
import { PincerError } from './core/errors.ts';
import type { NodeView } from './core/node-state.ts';
import type { Log } from './core/ports.ts';
import { openConfigFile, type ConfigFile } from './daemon/config-file.ts';
import { observe, retentionOf } from './daemon/observation.ts';
import { createDevicePlace } from './daemon/device-place.ts';
import { openNodeDesk } from './daemon/node.ts';
import { writeOwnHubFile } from './daemon/own-hub-file.ts';
import { openSignInDesk } from './daemon/sign-in.ts';
import type { ProxyOptions } from './daemon/proxy-options.ts';
import { createProxySettings } from './daemon/proxy-settings.ts';
import { openSurfaces } from './daemon/surfaces.ts';
import { createHub, type HubPorts } from './hub.ts';
import { approvalNotice, severalApprovals } from './observe/approval-notice.ts';
import { createDesktopNotice } from './observe/desktop-notice.ts';
import { clock } from './owner/clock.ts';
import type { HubFile } from './owner/hub-file.ts';
import { watchIdle } from './owner/idle.ts';
import { endLeftovers, openJournal } from './owner/journal.ts';
import { ownFolder } from './owner/own-folder.ts';
import { createNursery } from './owner/nursery.ts';
import { createRunGuard } from './owner/run-guard.ts';
import { createPrograms } from './owner/run-program.ts';
import { createSpawn } from './owner/spawn.ts';
import { configPath, prepareStateFolder, statePath, writeFileAtomically } from './owner/state-folder.ts';
import { openGrantFiles } from './owner/grant-files.ts';
import { createGrants } from './sources/remote/oauth/grants/grant-store.ts';
import { removeLeftFolders, RUN_FOLDERS } from './sources/device/programs/run-folder.ts';
import type { Capability } from './sources/device/registry/capability.ts';
import { openStore } from './store/sqlite.ts';
import { createSealer } from './store/sealer.ts';

export interface DaemonOptions {
  readonly home: string;
  /** A background hub was started by a command: it takes a free port, connects when asked, and ends when idle. */
  readonly mode: 'foreground' | 'background';
  /** Wins over the environment and the configuration. */
  readonly port: number | undefined;
  /** The app proxy, and what wins over its settings; absent: there is none. */
  readonly proxy?: ProxyOptions | undefined;
  /** This machine is offered, unless the configuration says no. */
  readonly device?: boolean | undefined;
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
  // Read before anything is done: a configuration that is not valid starts nothing.
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
  for (const { pid, command } of await endLeftovers(home))
    log.info('ended what a dead hub had left', { pid, command });
  // A hub that was killed left them behind, with things of the person in them.
  if (options.device === true) await Promise.all(RUN_FOLDERS.map((kind) => removeLeftFolders(home, kind)));
  const journal = undo.adopt(openJournal(home), (it) => it.close());
  const store = undo.adopt(
    openStore(statePath(home), clock, {
      retention: retentionOf(config),
      onDamaged: (movedTo) => log.warn('the state was damaged and has been started anew', { movedTo }),
      onSessionDropped: (session) =>
        log.warn('a session of an app could not be read and is gone', { session }),
      onPruneFailed: (error) => log.warn('old calls could not be removed', { error }),
    }),
    (it) => it.close(),
  );
  const observation = observe(config, { clock, log, store }, undo);
  const nursery = undo.adopt(createNursery(createSpawn(journal)), (it) => it.endAll());
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
    spawn: nursery.spawn,
    sealer: createSealer(),
    observers: observation.observers,
    env,
    grants,
    agent: isAlone ? undefined : { home, openClaw: () => readOpenClawSettings(env) },
    device:
      options.device === true && isDeviceOffered(config.device, env)
        ? createDevicePlace({ home, run: programs.run, followed: () => followed, node: () => node })
        : undefined,
    appSettings: config.proxy.enabled ? proxySettings : undefined,
    notify: (approval) => desktop.show(approvalNotice(approval)),
  };
  const hub = undo.adopt(createHub(config, ports), (it) => it.stop());
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
      proxy: config.proxy.enabled ? proxySettings?.(config) : undefined,
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
  if (proxy !== undefined && proxySettings !== undefined) {
    undo.defer(followed.onApplied((next) => proxy.configure(proxySettings(next))));
    for (const warning of proxySettings(config).warnings) log.warn(warning);
  }

  // What runs may end; what does not in time is told that nobody knows how it ended.
  undo.defer(async () => {
    listener.stopAccepting();
    proxy?.stopAccepting();
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
  return { hubFile, servers: Object.keys(config.servers), node, register, ended, stop };
}

function portOf({ port, mode, env, proxy }: DaemonOptions, config: Config): number {
  return (
    port ?? (mode === 'background' || proxy?.isAlone === true ? 0 : choosePort(env, config.device.port).port)
  );
}

const withoutServers = (config: Config): Config => ({ ...config, servers: {} });
