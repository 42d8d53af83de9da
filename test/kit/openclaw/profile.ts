/** A new OpenClaw profile with its own home, state and config, and without network access. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { COMPILE_CACHE } from '../../openclaw/install.ts';
import type { JsonObject } from '../../servers/json.ts';

/** The discard port, on which no program listens: requests to other hosts fail at once. */
const NOWHERE = 'http://127.0.0.1:9';

export const TOKEN = 'token-of-the-scratch-profile';

export interface Profile {
  folder: string;
  /** `OPENCLAW_STATE_DIR`. */
  state: string;
  workspace: string;
  configFile: string;
  port: number;
  env: Record<string, string>;
  readConfig(): JsonObject;
  writeConfig(config: object): void;
}

interface Settings {
  port: number;
  modelUrl: string;
  /** Merged into the default config of a profile. */
  config?: object;
}

/** Creates a profile in an empty folder. */
export function makeProfile(folder: string, { port, modelUrl, config = {} }: Settings): Profile {
  const profile = openProfile(folder, port);
  for (const path of [profile.state, profile.workspace, profile.env['TMPDIR']!])
    mkdirSync(path, { recursive: true });
  profile.writeConfig({ ...usualConfig(profile, modelUrl), ...config });
  return profile;
}

/** Opens the profile in a folder. */
export function openProfile(folder: string, port: number): Profile {
  const state = join(folder, '.openclaw');
  const configFile = join(state, 'openclaw.json');
  return {
    folder,
    state,
    workspace: join(folder, 'workspace'),
    configFile,
    port,
    env: {
      HOME: folder,
      TMPDIR: join(folder, 'tmp'),
      PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      NO_PROXY: '127.0.0.1,localhost',
      NO_COLOR: '1',
      TZ: 'UTC',
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      OPENCLAW_STATE_DIR: state,
      OPENCLAW_CONFIG_PATH: configFile,
      OPENCLAW_GATEWAY_TOKEN: TOKEN,
      OPENCLAW_NO_AUTO_UPDATE: '1',
      PINCER_KEYCHAIN: 'off',
    },
    readConfig: () => JSON.parse(readFileSync(configFile, 'utf8')) as JsonObject,
    writeConfig(config) {
      // Written and renamed, so that a concurrent reader sees a whole file.
      const next = `${configFile}.next`;
      writeFileSync(next, JSON.stringify(config, undefined, 2), { mode: 0o600 });
      renameSync(next, configFile);
    },
  };
}

const MODEL = {
  id: 'scripted',
  name: 'Scripted',
  reasoning: false,
  input: ['text', 'image'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 8_192,
};

/** A gateway on loopback that uses the scripted model and starts nothing by itself. */
const usualConfig = ({ folder, workspace, port }: Profile, modelUrl: string): object => ({
  gateway: {
    mode: 'local',
    port,
    bind: 'loopback',
    auth: { mode: 'token', token: TOKEN },
    controlUi: { enabled: false },
  },
  discovery: { mdns: { mode: 'off' } },
  update: { checkOnStart: false },
  logging: { file: join(folder, 'openclaw.log') },
  agents: {
    defaults: {
      workspace,
      skipBootstrap: true,
      model: { primary: 'scripted/scripted' },
      heartbeat: { every: '0m' },
    },
  },
  models: {
    mode: 'replace',
    providers: {
      scripted: { baseUrl: modelUrl, apiKey: 'none', api: 'openai-completions', models: [MODEL] },
    },
  },
  // With tool search on, a model sees only `tool_search` and cannot call a tool by its name.
  tools: { toolSearch: false },
});
