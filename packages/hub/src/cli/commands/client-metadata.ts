/** `pincer client-metadata`: prints the OAuth client metadata document, to be hosted at a fixed URL. */
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
    'Prints the OAuth client metadata document that identifies Pincer to authorization servers. Host it at the URL that you name.',
  arguments: [
    ['[url]', 'the https URL of the document; default: signIn.clientMetadataUrl of the configuration'],
  ],
  run: ({ words: [url] }, context) => clientMetadata(url, context),
});

/** Prints only the document, with `--json` too, because the output is the file to host. */
function clientMetadata(address: string | undefined, { home }: Context): ExitCode {
  const configured = valueAt(readConfigFile(configPath(home)), ['signIn', 'clientMetadataUrl']);
  const hosted = address ?? (typeof configured === 'string' ? configured : undefined);
  print(`${JSON.stringify(metadataDocument(checked(hosted)), undefined, 2)}\n`);
  if (hosted !== configured)
    note(
      `Host it at exactly this URL, then set signIn: { clientMetadataUrl: "${hosted}" } in ${configPath(home)}\n`,
    );
  return EXIT.ok;
}

/** The URL is the client id: it must be https, have a path, and be in normalized form, so that servers compare it equal. */
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
    'The metadata document needs the https URL at which you host it, with a path.',
    {
      hint: 'For example: pincer client-metadata https://example.com/pincer.json',
    },
  );
}
