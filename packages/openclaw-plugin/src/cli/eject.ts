/** `openclaw pincer eject`: back to an OpenClaw without this plugin. */
import type { HostConfigFile } from '../host.ts';
import { readEntry, writeEntry } from './plugin-entry.ts';

/** Takes our entries out of OpenClaw's configuration; resolves to the names of those that were removed. */
export type Eject = (config: HostConfigFile, home: string) => Promise<readonly string[]>;

export interface EjectParts {
  readonly config: HostConfigFile;
  readonly home: string;
  readonly eject: Eject;
  write(text: string): void;
}

export async function ejectEntries({ config, home, eject, write }: EjectParts): Promise<number> {
  // First of all: a gateway that runs would write the entries again.
  const isOff = readEntry(config.current(), ['enabled']) === false;
  if (!isOff) await writeEntry(config, ['enabled'], false);
  const names = await eject(config, home);
  write(
    names.length === 0
      ? 'mcp.servers has no entry of Pincer.\n'
      : `Taken out of mcp.servers: ${names.join(', ')}.\n`,
  );
  write(`The plugin is switched off; \`openclaw plugins enable mcp-client\` switches it on again.
\`openclaw plugins uninstall mcp-client\` removes it. Pincer's own folder stays: ${home}
`);
  return 0;
}
