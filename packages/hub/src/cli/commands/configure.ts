/** `pincer configure`: asks for the usual settings of a server one by one, or takes them from `--set`. */
import type { ConfigChange } from '../../config/edit.ts';
import { readConfigFile } from '../../config/read-file.ts';
import { configPath } from '../../owner/state-folder.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note } from '../terminal/output.ts';
import { isInteractive, notInteractive, openPerson } from '../terminal/person.ts';
import { changeConfig } from '../settings/change-config.ts';
import { serverIn } from '../servers/named-server.ts';
import { readPair, findSetting, readSettings } from '../settings/read-setting.ts';
import { reportChange } from '../settings/report-change.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { shapeAt } from '../../config/shape.ts';
import { PincerError } from '../../core/errors.ts';
import { isRecord, valueAt } from '../../lib/record.ts';
import { visible } from '../../core/visible.ts';
import { hideClearSecrets } from '../../config/secrets.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: 'NAME [--set KEY=VALUE …]',
  description: 'Asks for the usual settings of a server, one by one. Enter keeps the current value.',
  arguments: ['<name>'],
  options: {
    '--set <key=value>': { help: 'change this setting without asking; repeatable', many: true },
  },
  run: ({ words: [name], flags: { set } }, context) => configure(name, set, context),
});

async function configure(
  server: string,
  pairs: readonly string[] | undefined,
  context: Context,
): Promise<ExitCode> {
  const written = serverIn(readConfigFile(configPath(context.home)), server);
  const changes = pairs?.flatMap((pair) => readPair(server, pair)) ?? (await askFor(server, written));
  if (changes === undefined || changes.length === 0) {
    note(changes === undefined ? '\nNothing was changed.\n' : 'Nothing was changed.\n');
    return changes === undefined ? EXIT.interrupted : EXIT.ok;
  }
  const changed = await changeConfig(context, (config) => {
    serverIn(config, server);
    return changes;
  });
  reportChange(server, changed, context);
  return EXIT.ok;
}

async function askFor(
  server: string,
  written: Readonly<Record<string, unknown>>,
): Promise<ConfigChange[] | undefined> {
  if (!isInteractive())
    throw notInteractive(
      `Pass the settings as options: pincer configure ${server} --set requestTimeoutMs=60000`,
    );
  note(`The usual settings of ${server}. Enter keeps the value in brackets, - removes it.\n`);
  using person = openPerson();
  const style = styleFor(process.stderr);
  return await interview(server, written, { style, ask: (question) => person.ask(question), tell: note });
}

type Settings = Readonly<Record<string, unknown>>;

const WHERE = { http: ['url', 'apiKey', 'headers'], stdio: ['env', 'cwd'] } as const;
const USUAL = [
  'enabled',
  'start',
  'trust',
  'policy.*',
  'toolFilter.include',
  'toolFilter.exclude',
  'connectTimeoutMs',
  'requestTimeoutMs',
] as const;

const MEANINGS: Readonly<Record<string, string>> = {
  enabled: 'whether the server is used',
  url: 'the URL of the server',
  apiKey: 'sent as Authorization: Bearer …; write $NAME or $secret:NAME instead of the key itself',
  headers: 'sent with each request: NAME=VALUE …',
  env: 'environment variables of the server: NAME=VALUE …',
  cwd: 'working folder of the server',
  start: 'eager: start with the hub; lazy: start when needed',
  trust: 'which tools wait for your acceptance; pin: changed ones; ask: new ones too; always: none',
  'policy.*': 'calls of all tools: allow, ask (a person decides) or deny',
  'toolFilter.include': 'offer only these tools; * matches anything',
  'toolFilter.exclude': 'do not offer these tools',
  connectTimeoutMs: 'milliseconds for each step of connecting',
  requestTimeoutMs: 'milliseconds that a call may take without an answer or progress',
};

interface Interview {
  readonly style: Style;
  ask(question: string): Promise<string | undefined>;
  tell(text: string): void;
}

/** Asks for the settings one by one. Returns undefined if the input ends; then nothing is changed. */
export async function interview(
  server: string,
  written: Settings,
  { ask, tell, style }: Interview,
): Promise<ConfigChange[] | undefined> {
  const keys = [...WHERE[typeof written['command'] === 'string' ? 'stdio' : 'http'], ...USUAL];
  const changes: ConfigChange[] = [];
  for (const key of keys) {
    const { path } = findSetting(server, key);
    tell(`\n${style.bold(key)}  ${style.dim(MEANINGS[key] ?? '')}\n`);
    for (;;) {
      const answer = await ask(`  [${visible(currentText(path, written))}] `);
      if (answer === undefined) return undefined;
      if (answer === '') break;
      try {
        changes.push(...readAnswer(server, key, answer));
        break;
      } catch (error) {
        const { message, hint = '' } = PincerError.from(error);
        tell(`  ${style.red(message)} ${hint}\n`);
      }
    }
  }
  return changes;
}

/** `-` removes a setting. Spaces or commas separate the values of a list. */
function readAnswer(server: string, key: string, answer: string): ConfigChange[] {
  const { path, shape } = findSetting(server, key);
  if (answer === '-') return [{ path, value: undefined }];
  const takesSeveral = shape['type'] === 'array' || shape['type'] === 'object';
  const words =
    takesSeveral && !/^[[{]/.test(answer) ? answer.split(/[\s,]+/).filter((word) => word !== '') : [answer];
  return readSettings(server, [key, ...words]);
}

function currentText(path: readonly string[], written: Settings): string {
  const value = valueAt(written, path.slice(2));
  if (value === undefined) {
    const fallback = shapeAt(path)?.['default'];
    return typeof fallback === 'string'
      ? fallback
      : typeof fallback === 'object'
        ? 'not set'
        : (JSON.stringify(fallback) ?? 'not set');
  }
  const shown = hideClearSecrets(value, path.at(-1)!);
  if (Array.isArray(shown)) return shown.join(' ');
  if (isRecord(shown))
    return Object.entries(shown)
      .map(([name, item]) => `${name}=${String(item)}`)
      .join(' ');
  return String(shown);
}
