/** Three ways from OpenClaw to the same server, each in its own profile, which is kept between rounds. */
import { EVERYTHING } from '../../test/clients/everything.ts';
import { configurePlugin, installPlugin, whenListed } from '../../test/kit/openclaw/plugin.ts';
import { makeProfile, type Profile } from '../../test/kit/openclaw/profile.ts';
import { eventually } from '../../test/kit/processes.ts';
import { temporaryFolder } from '../process/folders.ts';
import { freePort } from '../process/ports.ts';
import { startProcess } from '../process/running.ts';

export type VariantName = 'built-in stdio' | 'built-in HTTP' | 'pincer';

export const VARIANTS: readonly VariantName[] = ['built-in stdio', 'built-in HTTP', 'pincer'];

export interface Variant {
  name: VariantName;
  profile: Profile;
  /** Required processes that are not children of the gateway. */
  outside: number[];
  /** Resolves when a running gateway knows the server. */
  whenKnown(): Promise<void>;
}

const START_MS = 30_000;
const SERVER = 'everything';

const never = async (): Promise<void> => undefined;

export async function prepareVariant(name: VariantName, modelUrl: string): Promise<Variant> {
  const make = async (servers: object): Promise<Profile> =>
    makeProfile(temporaryFolder('openclaw'), {
      port: await freePort(),
      modelUrl,
      config: { mcp: { servers } },
    });
  switch (name) {
    case 'built-in stdio':
      return { name, profile: await make({ [SERVER]: EVERYTHING }), outside: [], whenKnown: never };
    case 'built-in HTTP': {
      const { url, pid } = await startHttpServer();
      const entry = { url, transport: 'streamable-http' };
      return { name, profile: await make({ [SERVER]: entry }), outside: [pid], whenKnown: never };
    }
    case 'pincer': {
      const profile = await make({});
      await installPlugin(profile);
      configurePlugin(profile, () => ({ servers: { [SERVER]: EVERYTHING } }));
      return { name, profile, outside: [], whenKnown: () => whenListed(profile, [SERVER]) };
    }
  }
}

async function startHttpServer(): Promise<{ url: string; pid: number }> {
  const port = await freePort();
  const { pid, logTail } = await startProcess({
    command: EVERYTHING.command,
    args: [...EVERYTHING.args, 'streamableHttp'],
    folder: temporaryFolder('everything'),
    env: { PORT: String(port) },
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  const answers = (): Promise<boolean> =>
    fetch(url).then(
      () => true,
      () => false,
    );
  if (!(await eventually(answers, START_MS))) throw new Error(`The HTTP server did not start: ${logTail()}`);
  return { url, pid };
}
