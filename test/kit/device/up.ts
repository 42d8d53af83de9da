/** Runs `pincer up` as a person does, and reads its output and its address. */
import { openCliHome, type CliHome, type Ran, type Started } from '../cli.ts';
import { readHubFile } from '../hub.ts';
import { eventually } from '../processes.ts';
import { USES_DEVICE } from './policy.ts';

export interface UpOptions {
  config?: object;
  env?: Record<string, string>;
  args?: readonly string[];
}

export interface Up extends AsyncDisposable {
  cli: CliHome;
  started: Started;
  /** Undefined if the process ended instead of listening. */
  origin: string | undefined;
  ended: Promise<Ran>;
  /** Stops it as Ctrl-C does. */
  stop(): Promise<Ran>;
}

const START_MS = 30_000;

/** A folder that is passed in is kept, so that another hub can use it afterwards. */
export async function typeUp(
  { config = {}, env = {}, args = [] }: UpOptions = {},
  cli = openCliHome(),
): Promise<Up> {
  cli.configure({}, { proxy: { enabled: false }, ...config });
  return runUp(cli, env, args);
}

/** Leaves the configuration file as it is. */
export async function runUp(
  cli: CliHome,
  env: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<Up> {
  const started = cli.start(['up', ...args], { env: { ...USES_DEVICE, ...env } });
  let isGone = false;
  void started.ended.then(() => (isGone = true));
  const isUp = (): boolean => cli.hubPid() === started.child.pid;
  await eventually(() => isUp() || isGone, START_MS);
  const { mcp } = (isUp() ? readHubFile(cli.path)!['endpoints'] : {}) as { mcp?: string };
  return {
    cli,
    started,
    origin: mcp === undefined ? undefined : new URL(mcp).origin,
    ended: started.ended,
    stop() {
      started.child.kill('SIGINT');
      return started.ended;
    },
    [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
  };
}
