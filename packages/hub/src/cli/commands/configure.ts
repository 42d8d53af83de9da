/** `pincer configure`: the usual settings of a server, asked one after the other, or given by `--set`. */
import type { ConfigChange } from '../../config/edit.ts';
import { readConfigFile } from '../../config/read-file.ts';
import { configPath } from '../../owner/state-folder.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note } from '../terminal/output.ts';
import { isSomebodyThere, nobodyThere, openPerson } from '../terminal/person.ts';
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
  description: 'Asks for the usual settings of a server, one after the other; Enter keeps what there is.',
  arguments: ['<name>'],
  options: {
    '--set <key=value>': { help: 'change this and ask nothing; may be given several times', many: true },
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
  if (!isSomebodyThere())
    throw nobodyThere(`Give the settings: pincer configure ${server} --set requestTimeoutMs=60000`);
  note(`The usual settings of ${server}. Enter keeps what stands in brackets, - takes it away.\n`);
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
  enabled: 'whether it is used at all',
  url: 'where it is',
  apiKey: 'sent as Authorization: Bearer …; $NAME or $secret:NAME rather than the key',
  headers: 'sent with each request: NAME=VALUE …',
  env: 'variables that it gets: NAME=VALUE …',
  cwd: 'folder that it runs in',
  start: 'eager: with the hub; lazy: when it is needed',
  trust: 'pin: changed tools wait for you; ask: new ones too; always: neither',
  'policy.*': 'calls: allow, ask you first, or deny',
  'toolFilter.include': 'offer these tools alone; * matches anything',
  'toolFilter.exclude': 'do not offer these tools',
  connectTimeoutMs: 'milliseconds for each step of connecting',
  requestTimeoutMs: 'milliseconds that a call may be silent',
};

interface Interview {
  readonly style: Style;
  ask(question: string): Promise<string | undefined>;
  tell(text: string): void;
}

/**
 * The usual settings of a server, asked one after the other. Undefined: the person went away, so nothing is
 * changed.
 */
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

/** `-` takes a setting away; blanks separate the values of a list. */
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
