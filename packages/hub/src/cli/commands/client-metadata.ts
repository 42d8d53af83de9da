/** `pincer client-metadata`: the document that tells authorization servers who Pincer is, for whoever hosts it. */
import { readConfigFile } from '../../config/read-file.ts';
import { PincerError } from '../../core/errors.ts';
import { valueAt } from '../../lib/record.ts';
import { configPath } from '../../owner/state-folder.ts';
import { metadataDocument } from '../../servers/oauth/client/client-metadata.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note, print } from '../terminal/output.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[URL]',
  description:
    'Prints the document that tells authorization servers who Pincer is, for the address that you host it at.',
  arguments: [['[url]', 'without it, signIn.clientMetadataUrl of the configuration']],
  run: ({ words: [url] }, context) => clientMetadata(url, context),
});

/** The document alone, with `--json` too: it is what is to be hosted. */
function clientMetadata(address: string | undefined, { home }: Context): ExitCode {
  const configured = valueAt(readConfigFile(configPath(home)), ['signIn', 'clientMetadataUrl']);
  const hosted = address ?? (typeof configured === 'string' ? configured : undefined);
  print(`${JSON.stringify(metadataDocument(checked(hosted)), undefined, 2)}\n`);
  if (hosted !== configured)
    note(
      `Host it at exactly this address, then: signIn: { clientMetadataUrl: "${hosted}" } in ${configPath(home)}\n`,
    );
  return EXIT.ok;
}

/** The address is the client's id: https, with a path, and nothing that a server may write in another way. */
function checked(address: string | undefined): string {
  const url = address === undefined ? null : URL.parse(address);
  const isFine =
    url?.protocol === 'https:' &&
    url.pathname !== '/' &&
    url.href === address &&
    url.username === '' &&
    url.hash === '';
  if (isFine) return url.href;
  throw new PincerError(
    'USAGE',
    'A metadata document needs the https address, with a path, that it is hosted at.',
    {
      hint: 'pincer client-metadata https://example.com/pincer.json',
    },
  );
}
