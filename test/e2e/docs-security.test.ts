/** Runs every shell block of the pages security, errors, observability and backup, on one hub. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EVERYTHING } from '../clients/everything.ts';
import { type DocHub, openDocHub } from '../kit/doc-hub.ts';
import { openDocPage } from '../kit/doc-page.ts';
import { readHubFile } from '../kit/hub.ts';
import { eventually } from '../kit/processes.ts';
import { startHttpServer } from '../servers/start.ts';

const page = openDocPage('security.md');
let hub: DocHub;

beforeAll(async () => {
  hub = await openDocHub({ config: { servers: { everything: EVERYTHING } }, env: { KEY: 'k' } });
});
afterAll(() => hub?.[Symbol.asyncDispose]());

const call = (): Promise<string> =>
  hub.shell.run('pincer call everything.echo message=hi --timeout 3000 2>&1 || true');

it('asks before a call, and runs it once after a yes', async () => {
  await hub.run(page, 'pincer set everything policy');
  const [, id = ''] = /pincer approvals allow (\w+)/.exec(await call()) ?? [];
  const decide = hub.block(page, 'sh', 'pincer approvals\n').replace('allow 3f2a', `allow ${id} --yes`);
  const printed = await hub.shell.run(decide);
  expect(printed).toContain('everything.echo');
  expect(printed).toContain('may run once');
  expect(await call()).toContain('Echo: hi');
  expect(await call()).toContain('pincer approvals allow');
});

it('holds tools until they are accepted', async () => {
  await using web = await startHttpServer();
  hub.replace('https://example.com/mcp', web.url);
  const accept = hub.block(page, 'sh', 'pincer set docs').replace('accept docs', 'accept docs --yes');
  const [set = '', ...rest] = accept.split('\n');
  await hub.shell.run(set);
  expect(await hub.shell.run('pincer call docs.echo message=hi 2>&1 || true')).toContain('pincer accept');
  expect(await hub.shell.run(rest.join('\n'))).toContain('accepted');
  expect(await hub.shell.run('pincer call docs.echo message=hi')).toContain('hi');
});

it('makes, lists and revokes a token', async () => {
  const printed = await hub.run(page, 'pincer token add');
  expect(printed).toMatch(/^[\w-]{43}$/m);
  expect(await hub.shell.run('pincer token list')).toContain('No tokens');
});

it('keeps a secret', async () => {
  expect(await hub.run(page, 'printf %s "$KEY" | pincer secret set')).toContain('DOCS_KEY');
});

it('shows problems and calls', async () => {
  expect(await hub.run(page, 'pincer doctor')).toContain('everything.echo');
  expect(page.untaken()).toEqual([]);
});

it('errors.md and observability.md explain a code and show what happened', async () => {
  const [errors, observability] = [openDocPage('errors.md'), openDocPage('observability.md')];
  expect(await hub.run(errors, 'pincer explain')).toContain('pincer login NAME');
  expect(errors.untaken()).toEqual([]);
  expect(await hub.run(observability, 'pincer status')).toContain('everything.echo');
  expect(await hub.run(observability, 'pincer logs --server')).toBe('');
  for (const language of ['text', 'js']) observability.take(language, '');
  for (const about of ['scrape_configs', 'receivers']) observability.take('yaml', about);
  expect(observability.untaken()).toEqual([]);
});

it('backup.md backs up a running hub and restores it', async () => {
  const backup = openDocPage('backup.md');
  await hub.run(backup, 'pincer backup');
  expect(existsSync(join(hub.shell.folder, 'backup.gz'))).toBe(true);
  await hub.shell.run('pincer unset everything');
  process.kill(readHubFile(hub.home)!['pid'] as number, 'SIGTERM');
  expect(await eventually(() => readHubFile(hub.home) === undefined, 30_000)).toBe(true);
  expect(await hub.run(backup, 'pincer restore')).toContain('Restored');
  expect(await hub.shell.run('pincer list')).toContain('everything');
  expect(backup.untaken()).toEqual([]);
});
