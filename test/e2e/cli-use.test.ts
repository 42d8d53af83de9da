import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliHome, type CliHome } from '../kit/cli.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { openOnTerminal } from '../kit/terminal.ts';
import { verifies } from '../verifies.ts';

let home: CliHome;
let env: Record<string, string>;

beforeAll(async () => {
  home = openCliHome();
  home.configure({
    x: stdioServer({}, { policy: { echo: 'ask' } }),
    quick: stdioServer({ tools: ['slow'] }, { requestTimeoutMs: 200 }),
    shy: stdioServer({ tools: ['add', 'echo'] }, { trust: 'ask' }),
  });
  const servers = { claw: stdioServer({ tools: ['echo'] }), x: { url: 'https://example.com/shadowed' } };
  const openClaw = join(home.path, 'openclaw.json');
  writeFileSync(
    openClaw,
    JSON.stringify({ plugins: { entries: { 'mcp-client': { config: { servers } } } } }),
  );
  env = { OPENCLAW_CONFIG_PATH: openClaw };
  home.start(['up', '--port', '0'], { env });
  await eventually(() => home.hubPid() !== undefined);
  await home.run(['tools']);
});
afterAll(() => home[Symbol.asyncDispose]());

describe('accept', () => {
  it('lists and shows the held tools, and accepts what was shown', async () => {
    expect((await home.run(['list'])).stdout).toMatch(/^● {2}shy +Running .* 0 \(2 held\)/m);
    expect((await home.run(['tools', 'shy'])).stdout).toContain('! add is held: it is new');
    const listed = await home.run(['accept']);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^! {2}shy\.add +new$/m);
    expect(await home.run(['call', 'shy.add', 'a=1', 'b=2'])).toMatchObject({ code: 6 });
    const asked = await home.run(['accept', 'shy.add']);
    expect(asked.code).toBe(2);
    expect(asked.stdout).toContain('shy.add is new\n  description: Adds two numbers.\n');
    expect(asked.stderr).toContain('--yes');
    const { document } = await home.json(['accept', 'shy']);
    expect(document).toMatchObject({ ok: true, held: [{ tool: 'add' }, { tool: 'echo' }], accepted: [] });
    expect((await home.run(['accept', 'shy.add', '--yes'])).stdout).toContain('shy.add is accepted.');
    expect(await home.run(['call', 'shy.add', 'a=1', 'b=2'])).toMatchObject({ code: 0, stdout: '3\n' });
    await using terminal = openOnTerminal(['accept', 'shy'], { PINCER_HOME: home.path });
    await terminal.until('Accept it? [y/N]');
    terminal.type('y\n');
    expect(await terminal.ended).toBe(0);
    expect(terminal.seen()).toContain('shy.echo is accepted.');
    expect(await home.run(['accept', 'shy'])).toMatchObject({ code: 0, stdout: 'No tool of shy is held.\n' });
    expect(await home.run(['accept', 'shi'])).toMatchObject({ code: 2 });
  });
});

describe('call --timeout', () => {
  it('reports that a call which needs an approval did not run, and how to run it', async () => {
    const words = ['call', 'x.echo', 'message=late', '--timeout', '300'];
    const { code, stdout, stderr } = await home.run(words);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toMatch(/needs the approval of a person.* It was not run\./);
    expect((await home.json(words)).document).toMatchObject({
      error: { code: 'APPROVAL_PENDING', outcome: 'not_executed' },
    });
    const [, id = ''] = /pincer approvals allow (\S+)`/.exec(stderr) ?? [];
    expect(await home.run(['approvals', 'allow', id])).toMatchObject({ code: 0 });
    expect(await home.run(words)).toMatchObject({ code: 0, stdout: 'late\n' });
    expect((await home.json(['approvals'])).document).toEqual({ ok: true, approvals: [] });
  });

  it('extends the timeout of a server', async () => {
    const words = ['call', 'quick.slow', 'ms=600'];
    expect((await home.json(words)).document).toMatchObject({ error: { code: 'CALL_TIMEOUT' } });
    expect(await home.run([...words, '--timeout', '20000'])).toMatchObject({ code: 0 });
  });

  it('reports that a call already sent may have run', async () => {
    const { document } = await home.json(['call', 'x.hang', '--args', '{}', '--timeout', '300']);
    expect(document).toMatchObject({ error: { code: 'CALL_TIMEOUT', outcome: 'outcome_unknown' } });
  });
});

describe('approvals', () => {
  interface Approval {
    id: string;
    state: string;
    arguments: string;
  }
  const openOnes = async (): Promise<Approval[]> => {
    const { document } = await home.json(['approvals']);
    return (document['approvals'] as Approval[]).filter(({ state }) => state === 'open');
  };
  const whenAsked = async (): Promise<Approval> => {
    let found: Approval[] = [];
    await eventually(async () => (found = await openOnes()).length === 1);
    return found[0]!;
  };

  it('are listed, and allow one call', async () => {
    expect(await home.run(['approvals'])).toMatchObject({
      code: 0,
      stdout: 'No call is waiting for your approval.\n',
    });
    const call = home.start(['call', 'x.echo', 'message=please']);
    const { id } = await whenAsked();
    const { stdout } = await home.run(['approvals']);
    expect(stdout).toMatch(
      /^\? x\.echo {2}open, requested by local .* ago {2}\w+\n {2}\{"message":"please"\}$/m,
    );
    const shown = await home.run(['approvals', 'show', id.slice(0, 8)]);
    expect(shown.stdout).toMatch(/^\? x\.echo .*\n {2}\{"message":"please"\}\n$/);
    expect((await home.json(['approvals', 'show', id])).document).toMatchObject({
      ok: true,
      approval: { id },
    });
    expect(await home.run(['approvals', 'show', 'nothing'])).toMatchObject({ code: 2 });
    expect((await home.run(['status'])).stdout).toContain('1 call for your approval');
    expect(await home.run(['approvals', 'allow', id.slice(0, 8)])).toMatchObject({
      code: 0,
      stdout: 'x.echo for local may run once.\n',
    });
    expect(await call.ended).toMatchObject({ code: 0, stdout: 'please\n' });
  });

  it('are followed and answered on a terminal, where the call reports that it waits', async () => {
    await using watch = openOnTerminal(['approvals', '--watch'], { PINCER_HOME: home.path });
    await watch.until('Waiting for approvals');
    await using call = openOnTerminal(['call', 'x.echo', 'message=now'], { PINCER_HOME: home.path });
    await call.until('x.echo waits for your approval: pincer approvals allow');
    await watch.until('[a]llow, [d]eny');
    watch.type('a\n');
    await watch.until('x.echo for local may run once.');
    expect(await call.ended).toBe(0);
    expect(call.seen()).toMatch(/^now$/m);
  });

  it('are named to the call that they belong to, and not to another call of the same tool', async () => {
    const other = home.start(['call', 'x.echo', 'message=other']);
    const { id: another } = await whenAsked();
    await using call = openOnTerminal(['call', 'x.echo', 'message=mine'], { PINCER_HOME: home.path });
    await call.until('x.echo waits for your approval: pincer approvals allow');
    const [, id = ''] = /approvals allow (\w+)/.exec(call.seen()) ?? [];
    expect(another).not.toMatch(new RegExp(`^${id}`));
    expect(await home.run(['approvals', 'allow', id])).toMatchObject({ code: 0 });
    expect(await call.ended).toBe(0);
    expect(call.seen()).toMatch(/^mine$/m);
    await home.run(['approvals', 'deny', another]);
    expect(await other.ended).toMatchObject({ code: 6 });
  });

  it('can be denied, and are identified only by their ids', async () => {
    const call = home.start(['call', 'x.echo', 'message=no']);
    const { id } = await whenAsked();
    expect((await home.json(['approvals', 'deny', id])).document).toMatchObject({
      ok: true,
      approvals: [{ id, state: 'denied' }],
    });
    expect(await call.ended).toMatchObject({ code: 6 });
    expect(await home.run(['approvals', 'allow', 'nothing'])).toMatchObject({ code: 2 });
    expect(await home.run(['approvals', 'allow'])).toMatchObject({ code: 2 });
    expect(await home.run(['approvals', 'maybe', id])).toMatchObject({ code: 2 });
  });
});

describe('a server configured for OpenClaw', () => {
  it('is served beside the others, and shows where it is configured', async () => {
    verifies('004-6.3-location');
    expect(await home.run(['call', 'claw.echo', 'message=a'])).toMatchObject({ code: 0, stdout: 'a\n' });
    expect((await home.json(['status', 'claw'])).document).toMatchObject({
      server: { origin: 'openclaw.json' },
    });
    expect((await home.json(['status', 'x'])).document).toMatchObject({
      server: { origin: 'config.json', transport: 'stdio' },
    });
    const set = await home.run(['set', 'claw', 'trust', 'ask'], { env });
    expect(set).toMatchObject({ code: 2, stdout: '' });
    expect(set.stderr).toContain('openclaw.json, which Pincer does not change');
  });
});

describe('call', () => {
  it.each<[args: string, says: string]>([
    ['{"a":1}', 'Argument "b" is missing.'],
    ['{"a":1,"b":"2"}', 'Argument "b" must be a number, not a string.'],
    ['{"a":"1","b":"2"}', 'x.add does not accept these arguments:\n  Argument "a" must'],
  ])('validates --args %s against the schema before it sends them', async (args, says) => {
    const refused = await home.run(['call', 'x.add', '--args', args]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(says);
    const { document } = await home.json(['call', 'x.add', '--args', args]);
    expect(document).toMatchObject({ error: { code: 'ARGUMENT_INVALID', outcome: 'not_executed' } });
  });

  it.each([
    [['--args', '{"a":1}'], { a: 1 }],
    [['a=2'], { a: 2 }],
    [['a=one', 'b=2', 'c=3'], { a: 'one', b: 2, c: 3 }],
  ])('sends %j anyway with --no-check', async (words, sent) => {
    const { code } = await home.run(['call', 'x.add', '--no-check', ...words]);
    expect(code).not.toBe(2);
    // The hub writes its audit log in batches, a while after the answer.
    const newest = async (): Promise<unknown> =>
      (await home.json(['logs', '--limit', '1'])).document['calls'];
    await expect.poll(newest, { timeout: 10_000 }).toMatchObject([{ arguments: sent }]);
  });

  it('saves images and describes them', async () => {
    const out = join(home.path, 'pictures');
    const picture = Buffer.from('not really a picture');
    const block = { type: 'image', mimeType: 'image/png', data: picture.toString('base64') };
    const literal = JSON.stringify({ content: [block, { type: 'text', text: 'here' }] });
    const call = ['call', 'x.big_number', `literal=${literal}`, '--out', out];
    expect(await home.run(call)).toMatchObject({
      code: 0,
      stdout: '[image image/png 20 bytes]\nhere\n',
      stderr: `Saved ${out}/big_number.png (image/png, 20 bytes)\n`,
    });
    expect(readFileSync(join(out, 'big_number.png'))).toEqual(picture);
    expect((await home.json(call)).document).toMatchObject({
      ok: true,
      saved: [{ path: join(out, 'big_number-2.png'), bytes: 20 }],
    });
    expect(readdirSync(out)).toHaveLength(2);
  });
});

describe('logs', () => {
  it('show finished calls, the newest last, even if no hub runs', async () => {
    await home.run(['call', 'x.fail', 'message=no']);
    await home.run(['call', 'x.add', 'a=1', 'b=2']);
    // The hub writes in batches.
    const lines = async (...flags: string[]): Promise<Record<string, unknown>[]> => {
      const { code, stdout } = await home.run(['logs', '--ndjson', ...flags]);
      expect(code).toBe(0);
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    expect(await eventually(async () => (await lines('--limit', '1'))[0]?.['tool'] === 'add')).toBe(true);
    expect(await lines('--limit', '2')).toMatchObject([
      { server: 'x', tool: 'fail', outcome: 'tool_error', caller: 'local' },
      { server: 'x', tool: 'add', outcome: 'ok', argumentBytes: 13, answerBytes: expect.any(Number) },
    ]);
    expect(await lines('--method', 'prompts/get')).toEqual([]);
    expect(await lines('--method', 'tools/call', '--limit', '1')).toHaveLength(1);
    expect(await lines('--session', 'of-nobody')).toEqual([]);
    expect((await home.run(['logs', '--sizes', '--limit', '1'])).stdout).toMatch(
      /^TIME +OUTCOME +CALLER +TOOK +SENT +ANSWER +CALL\n.* +13 bytes +\d+ bytes +x\.add\n$/,
    );
    expect(
      (await lines('--outcome', 'not_executed')).every(({ outcome }) => outcome === 'not_executed'),
    ).toBe(true);
    expect(await lines('--server', 'nobody')).toEqual([]);
    const text = await home.run(['logs', '--since', '1h', '--arguments', '--limit', '1']);
    expect(text.stdout).toMatch(/^TIME .*\n[\d:]+ +ok +local +.* +x\.add\n {4}\{"a":1,"b":2\}\n$/);
    expect(await home.run(['logs', '--since', 'soon'])).toMatchObject({ code: 2 });
    expect(await home.run(['logs', '--follow', '--json'])).toMatchObject({ code: 2 });
    const followed = home.start(['logs', '--follow', '--ndjson', '--limit', '1']);
    await eventually(() => followed.stdout() !== '');
    await home.run(['call', 'x.add', 'a=3', 'b=4']);
    expect(await eventually(() => followed.stdout().trim().split('\n').length === 2)).toBe(true);
    followed.child.kill('SIGINT');
    expect(await followed.ended).toMatchObject({ code: 130 });
    process.kill(home.hubPid()!, 'SIGTERM');
    await eventually(() => home.hubPid() === undefined);
    expect((await home.json(['logs', '--limit', '1'])).document).toMatchObject({
      ok: true,
      calls: [{ tool: 'add', arguments: { a: 3, b: 4 } }],
    });
    expect(home.hubPid()).toBeUndefined();
  });
});
