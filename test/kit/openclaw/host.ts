/** A running OpenClaw: profile, scripted model and gateway, with helpers for tests. */
import { installOpenClaw } from '../../openclaw/install.ts';
import { freePort } from '../free-port.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { openclaw, openclawOk, type Ran } from './cli.ts';
import { openGateway, type Gateway, startGateway } from './gateway.ts';
import { type ModelRequest, askedOf, startScriptedModel } from './model.ts';
import { connectOperator, type Operator } from './operator.ts';
import { makeProfile, openProfile, type Profile } from './profile.ts';

/** The address of a host, enough to use it from another process. */
export interface HostAddress {
  folder: string;
  port: number;
  modelUrl: string;
}

export interface Host {
  profile: Profile;
  /** The running gateway. */
  gateway(): Gateway;
  startGateway(): Promise<Gateway>;
  /** Connects with these scopes; by default with the owner's. */
  operator(scopes?: string[]): Promise<Operator>;
  openclaw(args: readonly string[]): Promise<Ran>;
  openclawOk(args: readonly string[]): Promise<string>;
  /** Requests to the model whose last user message contains the text. */
  asked(about: string): Promise<ModelRequest[]>;
}

export interface HostSettings {
  /** Merged into the default config of a profile. */
  config?: object;
  /** Prepares the profile before the gateway starts. */
  prepare?(profile: Profile): Promise<void>;
}

export async function startHost({ config = {}, prepare }: HostSettings = {}): Promise<
  HostAddress & AsyncDisposable
> {
  await installOpenClaw();
  await using started = new AsyncDisposableStack();
  const folder = started.use(temporaryFolder('openclaw')).path;
  const { url: modelUrl } = started.use(await startScriptedModel());
  // With port 0, the gateway does not report the port that it got.
  const port = await freePort();
  const profile = makeProfile(folder, { port, modelUrl, config });
  await prepare?.(profile);
  await startGateway(profile);
  started.defer(async () => void (await openGateway(profile).stop()));
  const all = started.move();
  return { folder, port, modelUrl, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

export function openHost({ folder, port, modelUrl }: HostAddress): Host {
  const profile = openProfile(folder, port);
  return {
    profile,
    gateway: () => openGateway(profile),
    startGateway: () => startGateway(profile),
    operator: (scopes) => connectOperator(openGateway(profile).url, scopes),
    openclaw: (args) => openclaw(profile, args),
    openclawOk: (args) => openclawOk(profile, args),
    asked: (about) => askedOf(modelUrl, about),
  };
}
