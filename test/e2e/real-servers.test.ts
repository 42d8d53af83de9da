/** Third-party servers on pipes behind the hub: their lists, their answers, and that nothing remains of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectAsker, type Asker } from '../clients/asker.ts';
import { EVERYTHING } from '../clients/everything.ts';
import { filesystem, memory, playwright } from '../clients/foreign-servers.ts';
import { INSTALL_MS, installClients } from '../clients/install.ts';
import { listsOf } from '../clients/lists.ts';
import { claudeTurn, inClaude } from '../kit/claude-turn.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { structuredOf, textOf } from '../kit/messages.ts';
import { descendants, isAlive } from '../kit/processes.ts';
import { serverStatus } from '../kit/status.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { servePage, type WebPage } from '../kit/web-page.ts';
import { verifies } from '../verifies.ts';

const PAGE =
  '<title>Quay</title><h1>Ships today</h1><button onclick="this.textContent=\'Sailed\'">Sail</button>';

const folder = temporaryFolder('real');
const SERVERS = {
  everything: EVERYTHING,
  files: filesystem(folder.path),
  memory: memory(join(folder.path, 'memory.jsonl')),
  browser: { ...playwright(folder.path), cwd: folder.path },
};

let hub: TestHub;
let page: WebPage;

beforeAll(async () => {
  await installClients();
  page = await servePage(PAGE);
  hub = await startHub({ servers: SERVERS });
}, INSTALL_MS + 60_000);

afterAll(async () => {
  await hub?.[Symbol.asyncDispose]();
  await page?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const throughHub = (server = ''): Promise<Asker> =>
  connectAsker({ url: `${hub.url}${server === '' ? '' : `/${server}`}`, token: hub.token });

interface Counts {
  tools: number;
  prompts?: number;
  resources?: number;
  resourceTemplates?: number;
}

it.each<[name: keyof typeof SERVERS, counts: Counts]>([
  ['everything', { tools: 13, prompts: 4, resources: 7, resourceTemplates: 2 }],
  ['files', { tools: 14 }],
  ['memory', { tools: 9, resources: 1 }],
  ['browser', { tools: 25 }],
])('%s lists the same through the hub as directly', async (name, counts) => {
  await using direct = await connectAsker(SERVERS[name]);
  await using through = await throughHub(name);
  await using amongAll = await throughHub();
  const own = await listsOf(direct);
  const lengths = Object.fromEntries(Object.entries(own).map(([kind, list]) => [kind, list.length]));
  expect(lengths).toEqual({ prompts: 0, resources: 0, resourceTemplates: 0, ...counts });
  expect(await listsOf(through)).toEqual(own);
  const all = await listsOf(amongAll);
  const prefix = `${name}__`;
  const named = <T extends { name: string }>(list: T[]): T[] =>
    list.map((entry) => ({ ...entry, name: `${prefix}${entry.name}` }));
  const ofIt = <T extends { name: string }>(list: T[]): T[] =>
    list.filter((entry) => entry.name.startsWith(prefix));
  expect(ofIt(all.tools)).toEqual(named(own.tools));
  expect(ofIt(all.prompts)).toEqual(named(own.prompts));
  expect(all.resources).toEqual(expect.arrayContaining(own.resources));
  expect(all.resourceTemplates).toEqual(expect.arrayContaining(own.resourceTemplates));
});

describe('server-everything', () => {
  it('answers with structured content, media and progress', async () => {
    const weather = await hub.call('everything__get-structured-content', { location: 'Chicago' });
    expect(structuredOf(weather)).toEqual(JSON.parse(textOf(weather)));
    const image = await hub.call('everything__get-tiny-image');
    expect(image.result).toMatchObject({
      content: expect.arrayContaining([
        { type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) },
      ]),
    });
    await using asker = await throughHub('everything');
    const progress: number[] = [];
    await asker.ask(
      'tools/call',
      { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 4 } },
      { onprogress: (step) => progress.push(step.progress) },
    );
    // The client may miss notifications that arrive together with the answer.
    expect([1, 2, 3, 4].slice(0, progress.length)).toEqual(progress);
    expect(progress.length).toBeGreaterThanOrEqual(3);
  });

  it('has resources, prompts and completions', async () => {
    await using asker = await throughHub();
    const uri = 'demo://resource/dynamic/text/7';
    const { contents } = await asker.ask('resources/read', { uri });
    expect(contents).toMatchObject([{ uri, mimeType: 'text/plain', text: expect.stringContaining('7') }]);
    const name = 'everything__completable-prompt';
    const prompt = await asker.ask('prompts/get', {
      name,
      arguments: { department: 'Engineering', name: 'Alice' },
    });
    expect(prompt['messages']).toMatchObject([{ content: { text: expect.stringContaining('Alice') } }]);
    const { completion } = await asker.ask('completion/complete', {
      ref: { type: 'ref/prompt', name },
      argument: { name: 'department', value: 'Eng' },
    });
    expect(completion).toMatchObject({ values: ['Engineering'] });
  });
});

it('server-filesystem reads and writes only in its folder', async () => {
  verifies('004-15-real-servers');
  const path = join(folder.path, 'note.txt');
  await hub.call('files__write_file', { path, content: 'one\ntwo\n' });
  await hub.call('files__edit_file', { path, edits: [{ oldText: 'two', newText: 'três' }] });
  expect(readFileSync(path, 'utf8')).toBe('one\ntrês\n');
  const read = await hub.call('files__read_text_file', { path });
  expect(textOf(read)).toBe('one\ntrês\n');
  expect(structuredOf(read)).toEqual({ content: 'one\ntrês\n' });
  const outside = await hub.call('files__read_text_file', { path: '/etc/passwd' });
  expect(outside.result).toMatchObject({ isError: true });
  expect(textOf(outside)).toContain('outside allowed directories');
});

it('server-memory stores data, returned as structured content and as a resource', async () => {
  verifies('004-15-real-servers');
  const ship = { name: 'Ship', entityType: 'vessel', observations: ['sails at noon'] };
  const made = await hub.call('memory__create_entities', { entities: [ship] });
  expect(structuredOf(made)).toEqual({ entities: [ship] });
  const found = await hub.call('memory__search_nodes', { query: 'noon' });
  expect(structuredOf(found)).toEqual({ entities: [ship], relations: [] });
  await using asker = await throughHub();
  const { resources } = await listsOf(asker);
  const uri = resources.find((resource) => !resource.uri.startsWith('demo:'))!.uri;
  const { contents } = (await asker.ask('resources/read', { uri })) as { contents: { text: string }[] };
  expect(contents[0]?.text).toContain('sails at noon');
});

describe('Playwright', () => {
  it('reads a page, clicks in it and takes a screenshot', async () => {
    await hub.call('browser__browser_navigate', { url: page.url });
    const before = textOf(await hub.call('browser__browser_snapshot'));
    expect(before).toContain('heading "Ships today"');
    const target = /button "Sail" \[ref=(\w+)\]/.exec(before)?.[1];
    await hub.call('browser__browser_click', { element: 'Sail', target });
    expect(textOf(await hub.call('browser__browser_snapshot'))).toContain('button "Sailed"');
    const picture = await hub.call('browser__browser_take_screenshot');
    expect(picture.result).toMatchObject({
      content: expect.arrayContaining([
        { type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) },
      ]),
    });
  });

  it('is used by Claude Code, with one browser across calls', async () => {
    const headers = { Authorization: `Bearer ${hub.token}` };
    const { printed, model } = await claudeTurn({
      entry: { type: 'http', url: hub.url, headers },
      calls: [
        { name: inClaude('browser__browser_navigate'), input: { url: page.url } },
        { name: inClaude('browser__browser_snapshot'), input: {} },
      ],
    });
    expect(model.results).toHaveLength(2);
    expect(printed).toContain('Ships today');
  });
});

it('keeps their stderr output', async () => {
  expect((await serverStatus(hub, 'everything')).stderr).toContain('Starting default (STDIO) server');
  expect((await serverStatus(hub, 'files')).stderr).toContain(
    'Secure MCP Filesystem Server running on stdio',
  );
  expect((await serverStatus(hub, 'memory')).stderr).toContain('Knowledge Graph MCP Server running on stdio');
});

it('leaves none of their processes when the hub stops', async () => {
  const children = descendants(hub.pid);
  // At least four servers, and the browser's own processes.
  expect(children.length).toBeGreaterThan(5);
  expect(await hub.stop()).toBe(0);
  expect(children.filter(({ pid }) => isAlive(pid))).toEqual([]);
});
