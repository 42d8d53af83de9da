/** A hub with device capabilities. By default programs run without an approval. */
import { startHub, type TestHub } from '../hub.ts';
import { callText, parseAnswer, type Answer } from '../messages.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { join } from 'node:path';
import { allowPrograms, USES_DEVICE } from './policy.ts';

export interface DeviceOptions {
  /** `device` in config.json. */
  device?: object;
  env?: Record<string, string>;
  limits?: Record<string, number>;
  /** The rest of config.json. */
  config?: object;
  /** Content of exec-approvals.json; null means no file. By default every program runs without an approval. */
  policy?: object | null;
}

export interface Posted {
  status: number;
  type: string;
  text: string;
  answer: Answer;
}

export interface DeviceHub extends TestHub {
  /** The device's own address: `http://127.0.0.1:<port>/`. */
  root: string;
  /** A folder beside the state folder, for files of the test. */
  folder: string;
  /** Posts a text to `/`. */
  ask(body: string, headers?: Record<string, string>): Promise<Posted>;
  /** Calls a command on `/`. */
  command(name: string, args?: object): Promise<Answer>;
  /** Names of the commands on `/`. */
  commands(): Promise<string[]>;
}

export async function startDevice(options: DeviceOptions = {}): Promise<DeviceHub> {
  const { device, env = {}, limits, policy, config: rest } = options;
  const { path: folder, [Symbol.dispose]: remove } = temporaryFolder('device');
  const home = join(folder, 'home');
  if (policy !== null) allowPrograms(home, policy);
  const config = { proxy: { enabled: false }, ...rest, ...(device && { device }), ...(limits && { limits }) };
  const hub = await startHub({ home, config, env: { ...USES_DEVICE, ...env } }).catch((error: unknown) => {
    remove();
    throw error;
  });
  const ask = async (body: string, headers: Record<string, string> = {}): Promise<Posted> => {
    await using connection = hub.connect();
    const reply = await connection.post(body, { path: '/', headers });
    const last = reply.messages.at(-1) ?? '';
    const isMessage = last.startsWith('{');
    return {
      status: reply.status,
      type: String(reply.headers['content-type'] ?? ''),
      text: reply.body,
      answer: isMessage ? parseAnswer(last) : { id: undefined },
    };
  };
  const command = async (name: string, args: object = {}): Promise<Answer> =>
    (await ask(callText(name, { args: JSON.stringify(args) }))).answer;
  return {
    ...hub,
    root: `${hub.origin}/`,
    folder,
    ask,
    command,
    async commands() {
      const { answer } = await ask('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
      const tools = (answer.result?.['tools'] ?? []) as unknown as { name: string }[];
      return tools.map(({ name }) => name);
    },
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      remove();
    },
  };
}
