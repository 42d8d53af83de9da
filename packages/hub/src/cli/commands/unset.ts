/** `pincer unset`: removes a server, or settings of a server, from the configuration. */
import type { ConfigChange } from '../../config/edit.ts';
import { PincerError } from '../../core/errors.ts';
import { valueAt } from '../../lib/record.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { changeConfig } from '../settings/change-config.ts';
import { serverIn } from '../servers/named-server.ts';
import { findSetting } from '../settings/read-setting.ts';
import { reportChange } from '../settings/report-change.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: 'NAME [KEY …]',
  description:
    'Removes a server from the configuration. With KEY, resets only these settings of the server to their defaults.',
  arguments: ['<name>', '[keys...]'],
  run: ({ words: [name, keys] }, context) => unset(name, keys, context),
});

async function unset(server: string, keys: readonly string[], context: Context): Promise<ExitCode> {
  const changed = await changeConfig(context, (config) => {
    const written = serverIn(config, server);
    if (keys.length === 0) return [{ path: ['servers', server], value: undefined }];
    return keys.map((key) => removal(server, key, written));
  });
  reportChange(server, changed, context);
  return EXIT.ok;
}

function removal(server: string, key: string, written: Readonly<Record<string, unknown>>): ConfigChange {
  // A key that is in the file can be removed even if it is not a known setting.
  const plain = key.split('.');
  const path =
    valueAt(written, plain) === undefined ? findSetting(server, key).path : ['servers', server, ...plain];
  if (valueAt(written, path.slice(2)) !== undefined) return { path, value: undefined };
  throw new PincerError('USAGE', `${path.join('.')} is not set.`, {
    hint: `See the current settings: pincer show ${server}`,
  });
}
