/** `pincer up`, `pincer proxy` and `pincer node`: the hub itself, the app proxy alone, or a node alone, until it is told to stop. */
import { runDaemon, type Daemon, type DaemonOptions } from '../../daemon.ts';
import type { NodeReport } from '../../control/contract/machine.ts';
import { readDotEnv } from '../../config/proxy-settings.ts';
import { plainJson } from '../../core/plain-json.ts';
import type { Log } from '../../core/ports.ts';
import { createLog } from '../../observe/log.ts';
import { prepareNeutralFolder, wholePathVariables } from '../../owner/neutral-folder.ts';
import { mcpTokenPath } from '../../owner/state-folder.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { widthOfStream } from '../render/columns.ts';
import { renderNode } from '../render/device.ts';
import { renderProxy, renderUp } from '../render/up.ts';
import { notOfferedByHub } from '../servers/not-offered.ts';
import { styleFor } from '../terminal/style.ts';
import { takeOver } from '../hub/take-over.ts';

export interface UpOptions {
  readonly port: number | undefined;
  readonly proxyPort?: number | undefined;
  readonly background: boolean;
  /** It is the child of a program that keeps its standard input open as long as it needs the hub. */
  readonly untilEof: boolean;
}

export async function up(options: UpOptions, context: Context): Promise<ExitCode> {
  const { port, proxyPort, background, untilEof } = options;
  // A hub that a program runs for itself is nobody's proxy.
  const proxy = background || untilEof ? undefined : { port: proxyPort };
  if (proxy !== undefined) tellOfUnreadFile();
  return run({ port, background, untilEof, proxy, device: untilEof ? 'when-paired' : true }, context);
}

/** A hub has all of the person's keys: the folder that it happens to be started in says nothing to it. */
function tellOfUnreadFile(): void {
  try {
    const { file, values } = readDotEnv(process.cwd());
    const names = Object.keys(values).join(', ');
    if (names !== '')
      note(
        `${file} sets ${names}: \`pincer up\` does not read it. Put them into the environment, or run \`pincer proxy\` there.\n`,
      );
  } catch {
    // The folder is gone, or the file is not for us.
  }
}

export interface ProxyFlags {
  readonly host: string | undefined;
  readonly port: number | undefined;
}

/** `pincer proxy`: the app proxy alone. */
export const proxy = ({ host, port }: ProxyFlags, context: Context): Promise<ExitCode> =>
  run(
    {
      port: undefined,
      background: false,
      untilEof: false,
      device: false,
      proxy: { host, port, folder: process.cwd(), isAlone: true },
    },
    context,
  );

/** `pincer node`: a node of a gateway, and nothing on `/`. */
export const node = (context: Context): Promise<ExitCode> =>
  run(
    {
      port: undefined,
      background: false,
      untilEof: false,
      device: true,
      node: true,
      proxy: undefined,
    },
    context,
  );

interface RunOptions extends UpOptions {
  /** A node alone. */
  readonly node?: boolean;
  readonly proxy: DaemonOptions['proxy'];
  readonly device: DaemonOptions['device'];
}

async function run(
  { port, background, untilEof, proxy: proxyOptions, device, node: isNode = false }: RunOptions,
  context: Context,
): Promise<ExitCode> {
  const { home, json, debug } = context;
  Object.assign(process.env, wholePathVariables(process.env));
  process.chdir(prepareNeutralFolder(home));
  const logAt = (isDebug: boolean): Log => createLog(debug || isDebug ? 'debug' : 'info');
  const mode = background ? 'background' : 'foreground';
  const options: DaemonOptions = {
    home,
    mode,
    port,
    env: process.env,
    createLog: logAt,
    proxy: proxyOptions,
    device,
    node: isNode,
  };
  const start = (): Promise<Daemon> => runDaemon(options);
  // A signal that comes while it starts ends it as soon as it can be ended, and leaves no server behind.
  const daemonOrStop = Promise.withResolvers<Daemon>();
  const exitCode = stopOnSignal(daemonOrStop.promise);
  if (untilEof) stopOnEof(daemonOrStop.promise);
  const daemon = background ? await start() : await takeOver(start, home, logAt(false));
  daemonOrStop.resolve(daemon);
  if (isNode) announceNode(daemon, home, json);
  else if (!background) announce(daemon, { home, json, isAlone: proxyOptions?.isAlone === true });
  if (proxyOptions?.isAlone === true)
    for (const warning of daemon.doors?.warnings ?? []) logAt(false).warn(warning);
  await daemon.ended;
  // Everything of ours has ended; what might still hold the process open is not worth waiting for.
  process.exit(exitCode());
}

interface Announced {
  readonly home: string;
  readonly json: boolean;
  readonly isAlone: boolean;
}

function announce({ hubFile, servers, node: desk, doors }: Daemon, { home, json, isAlone }: Announced): void {
  const { pid, version, endpoints } = hubFile;
  const tokenFile = mcpTokenPath(home);
  if (json) return printJson({ ok: true, hub: { pid, version, endpoints, tokenFile, servers } });
  // Under `npm start` no `pincer` is on the path, but npx finds it.
  const program = process.env['npm_lifecycle_event'] === undefined ? 'pincer' : 'npx pincer';
  const facts = {
    version,
    endpoints,
    tokenFile,
    servers,
    node: desk?.state(),
    open: doors?.open ?? [],
    program,
  };
  const render = isAlone ? renderProxy : renderUp;
  const { stdout } = process;
  print(render(facts, { style: styleFor(stdout), width: widthOfStream(stdout) }));
}

/** A line for each change. */
function announceNode({ node: desk }: Daemon, home: string, json: boolean): void {
  if (desk === undefined) {
    const { why, hint } = notOfferedByHub(home, process.env);
    note(`${why}\n${hint}\n`);
  }
  let last = '';
  const tell = (state: NodeReport | undefined): void => {
    const line = state && (json ? plainJson(JSON.stringify(state)) : renderNode(state));
    if (line === undefined || line === last) return;
    last = line;
    print(`${line}\n`);
  };
  tell(desk?.state());
  desk?.onChange(tell);
}

/** The parent's end, however it came about, closes the pipe. */
function stopOnEof(starting: Promise<Daemon>): void {
  const { stdin } = process;
  stdin.once('close', () => void starting.then((daemon) => daemon.stop())).resume();
  // A hub that could not start must not stay for a parent that waits for it; a file has no such method.
  (stdin as Partial<typeof stdin>).unref?.();
}

/** The first signal lets calls and servers end; the second does not wait. */
function stopOnSignal(starting: Promise<Daemon>): () => ExitCode {
  let exitCode: ExitCode = EXIT.ok;
  let isStopping = false;
  process.removeAllListeners('SIGINT');
  for (const [signal, code] of [
    ['SIGINT', EXIT.interrupted],
    ['SIGTERM', EXIT.ok],
  ] as const)
    process.on(signal, () => {
      if (isStopping) process.exit(code === EXIT.ok ? EXIT.failure : code);
      isStopping = true;
      exitCode = code;
      void starting.then((daemon) => daemon.stop());
    });
  return () => exitCode;
}
