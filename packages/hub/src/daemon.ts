/** The owner process: lease, leftovers, store, hub, listener, hub.json; and all of it undone in the right order. */
import { join } from 'node:path';
import { editServer } from './config/edit.ts';
import { loadConfig, parseConfig } from './config/load.ts';
import { createCredentials } from './core/credentials.ts';
import { PincerError } from './core/errors.ts';
import type { Clock, Log } from './core/ports.ts';
import { createHub, sha256, type Hub } from './hub.ts';
import { createAudit } from './observe/audit.ts';
import { EXPOSITION_CONTENT_TYPE } from './observe/exposition.ts';
import { createMetrics, type Metrics } from './observe/metrics.ts';
import { addProcessGauges } from './observe/process-gauges.ts';
import { findHub } from './owner/attach.ts';
import { describeThisHub, removeHubFile, writeHubFile, type HubFile } from './owner/hub-file.ts';
import { endLeftovers, openJournal } from './owner/journal.ts';
import { takeLease, type Lease } from './owner/lease.ts';
import { createSpawn } from './owner/spawn.ts';
import { prepareStateFolder, writeFileAtomically } from './owner/state-folder.ts';
import { readOrCreateToken } from './owner/tokens.ts';
import { openStore } from './store/sqlite.ts';
import { createControlActions } from './surfaces/control/actions.ts';
import { createControl, CONTROL_PATH } from './surfaces/control/control.ts';
import { openCredentialBook } from './surfaces/control/credential-book.ts';
import { openLocalListener } from './surfaces/local-listener.ts';
import { createMcpHttp } from './surfaces/mcp/http.ts';
import { createSessions } from './surfaces/mcp/sessions.ts';
import { createRoutes } from './surfaces/routes.ts';
import { VERSION } from './version.ts';

export interface DaemonOptions {
  readonly home: string;
  readonly mode: 'foreground' | 'background';
  /** Wins over the environment and the configuration. */
  readonly port: number | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

export interface Daemon {
  readonly hubFile: HubFile;
  readonly servers: readonly string[];
  /** Resolves when the daemon has ended: by `stop`, on request, or because it was idle. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export const DEFAULT_PORT = 8765;
const IDLE_CHECK_MS = 1_000;

const clock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

export async function runDaemon(options: DaemonOptions): Promise<Daemon> {
  const { home, env, log, mode } = options;
  const config = loadConfig(join(home, 'config.json'), env);
  prepareStateFolder(home);
  const lease = await takeLeaseOrName(home);
  try {
    return await own(options, config, lease);
  } catch (error) {
    lease.release();
    throw error;
  }

  async function own(
    _options: DaemonOptions,
    config: ReturnType<typeof loadConfig>,
    lease: Lease,
  ): Promise<Daemon> {
    for (const { pid, command } of await endLeftovers(home))
      log.info('ended what a dead hub had left', { pid, command });
    const journal = openJournal(home);
    const store = openStore(join(home, 'state.sqlite'), clock, {
      onDamaged: (movedTo) => log.warn('the state was damaged and has been started anew', { movedTo }),
    });
    const audit = createAudit({ append: (records) => store.appendCalls(records), log });
    const metrics = createMetrics();
    const hub = createHub(config, {
      clock,
      log,
      store,
      spawn: createSpawn(journal),
      observers: [metrics, audit],
      env,
    });
    const adminCredentials = createCredentials(sha256);
    adminCredentials.set(sha256(readOrCreateToken(join(home, 'admin-token.txt'))), {
      id: 'admin',
      name: 'admin',
      scopes: {},
    });
    hub.credentials.set(sha256(readOrCreateToken(join(home, 'mcp-token.txt'))), {
      id: 'local',
      name: 'local',
      scopes: {},
    });
    const book = openCredentialBook({ store, credentials: hub.credentials, clock, digest: sha256 });
    describeMetrics(metrics, hub, () => audit.dropped);

    let attached = 0;
    let stopping: Promise<void> | undefined;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });

    const mcpHttp = createMcpHttp({
      ...hub,
      sessions: createSessions(hub.limits, clock.elapsed),
      onRejected: metrics.rejected,
    });
    const control = createControl(
      createControlActions({
        catalog: hub.catalog,
        book,
        whenKnown: hub.whenKnown,
        describe: () => ({
          version: VERSION,
          pid: process.pid,
          mode,
          attached,
          callsInFlight: hub.calls.inFlight,
          servers: hub
            .statuses()
            .map((status) => ({ ...status, tools: hub.catalog.list(status.name).length })),
        }),
        async addServer(name, server) {
          const parsed = parseConfig({ servers: { [name]: server } }, env).servers[name]!;
          await hub.add(name, parsed);
          writeFileAtomically(
            join(home, 'config.json'),
            editServer(join(home, 'config.json'), name, server as object),
          );
        },
        stop: () => void stop(),
      }),
    );
    const listener = await openLocalListener({
      port:
        options.port ??
        (mode === 'background'
          ? 0
          : (portOf(env['OPENCLAW_MCP_PORT']) ?? config.device.port ?? DEFAULT_PORT)),
      onRejected: metrics.rejected,
      onRequest: metrics.httpRequest,
      route: createRoutes({
        catalog: hub.catalog,
        credentials: hub.credentials,
        adminCredentials,
        mcpHttp,
        stdio: hub,
        control,
        version: VERSION,
        metricsType: EXPOSITION_CONTENT_TYPE,
        renderMetrics: metrics.render,
        onAttached: () => attached++,
        onDetached: () => attached--,
      }),
    });
    const origin = `http://127.0.0.1:${listener.port}`;
    const hubFile = describeThisHub({
      version: VERSION,
      mode,
      endpoints: { mcp: `${origin}/mcp`, control: `${origin}${CONTROL_PATH}`, health: `${origin}/health` },
    });
    writeHubFile(home, hubFile);
    if (mode === 'foreground') hub.connectAll();
    const idle = mode === 'background' ? watchIdle() : undefined;

    function watchIdle(): NodeJS.Timeout {
      let lastBusy = clock.elapsed();
      let lastRequests = -1;
      return setInterval(() => {
        const requests = listener.requests;
        const isBusy = attached > 0 || hub.calls.inFlight > 0 || requests !== lastRequests;
        lastRequests = requests;
        if (isBusy) lastBusy = clock.elapsed();
        else if (clock.elapsed() - lastBusy >= hub.limits.idleExitMs) void stop();
      }, IDLE_CHECK_MS);
    }

    function stop(): Promise<void> {
      stopping ??= (async () => {
        clearInterval(idle);
        // First nobody finds us any more, then nobody reaches us, then what we started ends; the lease goes last.
        removeHubFile(home);
        await listener.close();
        mcpHttp.close();
        await hub.stop();
        audit.close();
        store.close();
        journal.close();
        lease.release();
        end();
      })();
      return stopping;
    }

    return { hubFile, servers: Object.keys(config.servers), ended, stop };
  }
}

/** A hub that was started in the background by a command makes room for one that somebody starts on purpose. */
async function takeLeaseOrName(home: string): Promise<Lease> {
  const lease = takeLease(home);
  if (lease !== undefined) return lease;
  const running = findHub(home);
  const who = running === undefined ? 'another process' : `process ${running.pid}, ${running.endpoints.mcp}`;
  throw new PincerError('HUB_RUNNING', `A hub already runs on ${home}: ${who}.`, {
    hint:
      running === undefined
        ? 'Wait a moment, then try again.'
        : `Use it, or end it first: kill ${running.pid}`,
    data: { pid: running?.pid, mode: running?.mode },
  });
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new PincerError('CONFIG_INVALID', `OPENCLAW_MCP_PORT is "${text}", which is no port.`, {
    hint: 'Use a number from 0 to 65535; 0 takes a free port.',
  });
}

function describeMetrics(metrics: Metrics, hub: Hub, dropped: () => number): void {
  addProcessGauges(metrics);
  metrics.gauge('pincer_calls_in_flight', 'Calls that are running now.', () => hub.calls.inFlight);
  metrics.gauge('pincer_audit_dropped_total', 'Calls that could not be recorded.', dropped);
  metrics.gauge('pincer_servers', 'Configured servers by state.', () =>
    Object.entries(Object.groupBy(hub.statuses(), ({ state }) => state)).map(([state, servers]) => ({
      labels: { state },
      value: servers.length,
    })),
  );
}
