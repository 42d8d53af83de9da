/** `pincer add`: connects to a server, and keeps it in the configuration when that worked. */
import { PincerError } from '../../core/errors.ts';
import type { ToolReport } from '../call/find-tool.ts';
import { configPath, type Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openHub } from '../hub-client.ts';
import { note, print } from '../output.ts';
import { renderAdded } from '../render/added.ts';
import { defineServer, type AddOptions } from '../server-definition.ts';
import { styleFor } from '../style.ts';

export async function add(options: AddOptions, context: Context): Promise<ExitCode> {
  const { name } = options;
  const config = defineServer(options, process.cwd());
  const hub = await openHub(context);
  if (process.stderr.isTTY) note(`Connecting to "${name}" …\n`);
  const answer = await hub.control('POST servers', { body: { name, config } }).catch(saysNothingWasSaved);
  if (context.json) print(`{"ok":true,"server":${JSON.stringify({ name, ...config })},"tools":${answer}}\n`);
  else print(renderAdded(name, JSON.parse(answer) as ToolReport[], styleFor(process.stdout)));
  if (!context.json) note(`Saved in ${configPath(context.home)}\n`);
  return EXIT.ok;
}

function saysNothingWasSaved(error: unknown): never {
  const { code, message, hint, data } = PincerError.from(error);
  throw new PincerError(code, `${message} Nothing was saved.`, { hint, data, cause: error });
}
