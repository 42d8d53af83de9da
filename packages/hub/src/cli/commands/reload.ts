/** `pincer reload`: applies the edited configuration to the running hub. */
import { PincerError } from '../../core/errors.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ask, findHubClient } from '../../control/client/hub-client.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { renderReload, renderRestart } from '../settings/report-change.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  description: 'Applies the edited configuration to the running hub. Running calls continue.',
  run: (_given, context) => reload(context),
});

async function reload(context: Context): Promise<ExitCode> {
  const hub = findHubClient(context);
  if (hub === undefined)
    throw new PincerError('HUB_UNREACHABLE', 'No hub is running, so there is nothing to reload.', {
      hint: 'A hub reads the configuration when it starts: pincer up',
    });
  const report = await ask(hub, 'POST reload');
  if (context.json) printJson({ ok: true, ...report });
  else {
    print(`Reloaded: ${renderReload(report)}`);
    note(renderRestart(report));
  }
  return EXIT.ok;
}
