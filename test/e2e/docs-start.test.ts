/** docs/start.md and docs/servers.md: runs every shell block, in the order of the page, on a new state folder. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DocHub, openDocHub } from '../kit/doc-hub.ts';
import { openDocPage } from '../kit/doc-page.ts';
import type { Shell } from '../kit/shell.ts';
import { startHttpServer } from '../servers/start.ts';

const ROOT = join(import.meta.dirname, '../..');

let hub: DocHub;
let shell: Shell;

/** The hub that `npm start` runs, on a free port. */
beforeEach(async () => {
  hub = await openDocHub();
  ({ shell } = hub);
});
afterEach(() => hub[Symbol.asyncDispose]());

it('README.md shows what the commands print', async () => {
  const page = openDocPage('../README.md');
  mkdirSync(join(shell.folder, '.cursor'));
  const everything = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] };
  shell.write('.cursor/mcp.json', JSON.stringify({ mcpServers: { everything } }));
  hub.addProgram('npx', `exec ${hub.everything}`);
  let id = '';
  for (const step of page.take('console', 'npx pincer').split(/^\$ /m).slice(1)) {
    const [command = '', ...lines] = step.trimEnd().split('\n');
    const typed = command.replace('npx pincer', 'pincer').replace('002717', id);
    // Without this option a call that needs an approval waits for 45 s.
    const options = typed.startsWith('pincer call') ? ' --timeout 7000' : '';
    const printed = await shell.run(`${typed}${options} 2>&1 || true`);
    [, id = id] = /approvals allow (\w+)/.exec(printed) ?? [];
    for (const line of lines) expect(printed).toContain(line.replace(/ …$/, ''));
  }
});

it('start.md leads to an answer, a question and the log', async () => {
  const page = openDocPage('start.md');
  const run = (about: string): Promise<string> => hub.run(page, about);
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(page.take('sh', 'npm ci')).toBe('npm ci && npm start\n');
  expect(scripts['start']).toContain('pincer.js up');
  // `init` asks questions; `--yes` answers them, because a test cannot type.
  expect(page.take('sh', 'npx pincer init')).toBe('npx pincer init\n');
  await shell.run('pincer init --yes');
  expect(await run('npx pincer add')).toContain('everything is connected');
  expect(await run('npx pincer tools')).toContain('Echo: hi');
  await run('npx pincer set');
  const asked = await shell.run('pincer call everything.echo message=hi --timeout 6000 2>&1 || true');
  const [, id = ''] = /pincer approvals allow (\w+)/.exec(asked) ?? [];
  await shell.run(`pincer approvals allow ${id} --yes`);
  expect(await shell.run('pincer call everything.echo message=hi')).toContain('Echo: hi');
  expect(await run('npx pincer status')).toMatch(/everything\.echo/);
  expect(page.untaken()).toEqual([]);
});

it('servers.md adds, shows, changes and removes servers', async () => {
  await using web = await startHttpServer();
  const page = openDocPage('servers.md');
  hub.replace('https://example.com/mcp', web.url);
  const run = (about: string, before = ''): Promise<string> =>
    shell.run(before + hub.block(page, 'sh', about));
  expect(await run('pincer add everything')).toContain('everything is connected');
  expect(await run('pincer add docs https://example.com/mcp\n')).toContain('docs is connected');
  await shell.run('pincer unset docs');
  expect(await run('pincer secret set', 'printf key | ')).toContain('docs is connected');
  mkdirSync(join(shell.folder, '.cursor'));
  shell.write('.cursor/mcp.json', JSON.stringify({ mcpServers: { more: { command: 'true' } } }));
  expect(await run('pincer import\n')).toContain('1 server added.');
  expect(await run('pincer list')).toContain('everything is removed.');
  expect(await shell.run('pincer list')).not.toContain('everything');
  expect(page.untaken()).toEqual([]);
});
