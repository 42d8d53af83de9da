/** `pincer add`: connects to a server, and keeps it in the configuration when that worked. */
import { PincerError } from '../../core/errors.ts';
import { configPath } from '../../owner/state-folder.ts';
import type { ToolReport } from '../../client/tool-report.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openHub } from '../../client/hub-client.ts';
import { note, print, printJsonText } from '../terminal/output.ts';
import { renderAdded } from '../render/added.ts';
import { defineServer, type AddOptions } from '../servers/definition.ts';
import { styleFor } from '../terminal/style.ts';
import { showWaiting } from '../terminal/waiting.ts';

export async function add(options: AddOptions, context: Context): Promise<ExitCode> {
  const { name } = options;
  const config = defineServer(options, process.cwd());
  const hub = await openHub(context);
  const work = hub.control('POST servers', { body: { name, config } }).catch(nothingSaved);
  const answer = await showWaiting(`Connecting to "${name}"`, work, context.json);
  if (context.json)
    printJsonText(`{"ok":true,"server":${JSON.stringify({ name, ...config })},"tools":${answer}}\n`);
  else print(renderAdded(name, JSON.parse(answer) as ToolReport[], styleFor(process.stdout)));
  if (!context.json) note(`Saved in ${configPath(context.home)}\n`);
  return EXIT.ok;
}

function nothingSaved(error: unknown): never {
  if (PincerError.is(error) && error.data?.['isKept'] === true) throw error;
  const {
    code,
    message,
    hint = 'Correct the command or the URL, then add it again.',
    data,
  } = PincerError.from(error);
  throw new PincerError(code, `${message} Nothing was saved.`, { hint, data, cause: error });
}
