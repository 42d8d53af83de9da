#!/usr/bin/env node
// Plain JavaScript that any Node since 14 can read, so that an old one hears what is wrong.
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 24 || (major === 24 && minor < 16)) {
  process.stderr.write(
    `Pincer needs Node 24.16 or newer; this is ${process.versions.node}.\n` +
      'hint: Get one from https://nodejs.org, or by a version manager (nvm install 24). In the repository, `npm ci` brings one along: npx pincer …\n',
  );
  process.exitCode = 1;
} else {
  // In the person's own folder: the default is one under /tmp that anybody on the machine could have made first.
  module.enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'pincer'));
  await import('../dist/bundle/main.js');
}
