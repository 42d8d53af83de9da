/** One OpenClaw for all test files of this folder: a gateway takes a quarter of a minute to start. */
import type { TestProject } from 'vitest/node';
import { EVERYTHING } from '../clients/everything.ts';
import { whenApplied } from '../kit/openclaw/applied.ts';
import { type HostAddress, openHost, startHost } from '../kit/openclaw/host.ts';
import { configurePlugin, installPlugin, whenListed } from '../kit/openclaw/plugin.ts';
import { openProfile } from '../kit/openclaw/profile.ts';
import { stdioServer } from '../kit/servers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    openclaw: HostAddress;
  }
}

/** A tool of `growing` adds others while it runs. */
const OURS = {
  everything: EVERYTHING,
  growing: stdioServer({ name: 'growing', tools: ['echo', 'fail', 'add_tool', 'remove_tool'] }),
};

/** The same server once more, as OpenClaw itself has it: by itself that gives a server 1.5 s to list its tools. */
const THEIRS = { builtin: { ...EVERYTHING, requestTimeoutMs: 60_000 } };

/** OpenClaw's own way to transcribe speech: a program that says how long it was. */
const SPEECH = {
  models: [
    {
      type: 'cli',
      command: process.execPath,
      args: [
        '-e',
        "console.log('spoken for', require('node:fs').statSync(process.argv.at(-1)).size, 'bytes')",
        '{{AttachmentPath}}',
      ],
      capabilities: ['audio'],
    },
  ],
  audio: { enabled: true },
};

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const host = await startHost({
    config: { mcp: { servers: THEIRS } },
    async prepare(profile) {
      const config = profile.readConfig();
      profile.writeConfig({ ...config, tools: { ...(config['tools'] as object), media: SPEECH } });
      await installPlugin(profile);
      configurePlugin(profile, () => ({ servers: OURS }));
    },
  });
  const { folder, port, modelUrl } = host;
  await whenListed(openProfile(folder, port), Object.keys(OURS));
  await whenApplied(openHost({ folder, port, modelUrl }));
  project.provide('openclaw', { folder, port, modelUrl });
  return async () => host[Symbol.asyncDispose]();
}
