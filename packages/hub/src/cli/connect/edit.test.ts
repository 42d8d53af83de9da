import { describe, expect, it } from 'vitest';
import JSON5 from 'json5';
import { parse } from 'smol-toml';
import { diffLines, editClientFile, setTomlTable } from './edit-file.ts';

const JSON_FILE = { format: 'json', path: ['mcpServers'] } as const;
const ENTRY = { command: 'node', args: ['pincer.js', 'stdio'] };
const edit = (text: string, extra?: Parameters<typeof editClientFile>[3]['extra']): string =>
  editClientFile(text, 'f.json', JSON_FILE, { name: 'pincer', entry: ENTRY, extra });

describe('a client’s JSON file', () => {
  it('keeps comments, order and formatting, and does not change on a second edit', () => {
    const text =
      '{\n\t// mine\n\t"mcpServers": {\n\t\t"a": { "command": "x" }, // first\n\t},\n\t"z": [1, 2]\n}\n';
    const edited = edit(text);
    for (const kept of ['\t// mine\n', '{ "command": "x" }, // first\n', '\t"z": [1, 2]\n'])
      expect(edited).toContain(kept);
    expect(JSON5.parse(edited)).toEqual({ mcpServers: { a: { command: 'x' }, pincer: ENTRY }, z: [1, 2] });
    expect(edit(edited)).toBe(edited);
  });

  it.each(['', '  \n', '{}', '{"other":1}'])('keeps the existing content: %j', (text) => {
    const before = (text.trim() === '' ? {} : JSON.parse(text)) as object;
    expect(JSON.parse(edit(text))).toEqual({ ...before, mcpServers: { pincer: ENTRY } });
  });

  it('replaces an entry of the same name', () => {
    const text = '{"mcpServers":{"pincer":{"url":"http://127.0.0.1:1/mcp","headers":{}}}}';
    expect(JSON.parse(edit(text))).toEqual({ mcpServers: { pincer: ENTRY } });
  });

  it('is refused if it is broken, with the line', () => {
    expect(() => edit('{\n "mcpServers": {\n}')).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('f.json, line 3') as string,
      }),
    );
  });

  it('gets a list item only once', () => {
    const extra = { path: ['inputs'], key: 'id', item: { id: 'token', password: true } };
    const once = edit('{"inputs":[{"id":"other"}]}', extra);
    expect(JSON.parse(once)).toEqual({
      inputs: [{ id: 'other' }, { id: 'token', password: true }],
      mcpServers: { pincer: ENTRY },
    });
    expect(edit(once, extra)).toBe(once);
  });
});

describe('a client’s TOML file', () => {
  const set = (text: string, table: object = ENTRY): string =>
    setTomlTable(text, ['mcp_servers', 'pincer'], { ...table }, 'config.toml');

  it('gets the table at its end and keeps everything else', () => {
    const text = 'model = "o3" # best\n\n[mcp_servers.a]\ncommand = "x"\n';
    const edited = set(text);
    expect(edited.startsWith(text)).toBe(true);
    expect(parse(edited)).toEqual({
      model: 'o3',
      mcp_servers: { a: { command: 'x' }, pincer: ENTRY },
    });
    expect(set(edited)).toBe(edited);
  });

  it('may be empty', () => {
    expect(set('')).toBe('[mcp_servers.pincer]\ncommand = "node"\nargs = [ "pincer.js", "stdio" ]\n');
  });

  it.each([
    '[mcp_servers.pincer]\nurl = "http://old"\n[mcp_servers.pincer.env]\nX = "1"\n[other]\na = 1\n',
    '[other]\na = 1\n\n[ mcp_servers . "pincer" ] # mine\nurl = "old"\n',
    'x = """\n[mcp_servers.a]\n"""\n[mcp_servers.pincer]\nurl = "old"\n',
  ])('gets a replaced table with all nested tables: %j', (text) => {
    const before = parse(text) as { mcp_servers: object };
    expect(parse(set(text))).toEqual({ ...before, mcp_servers: { pincer: ENTRY } });
    expect(set(set(text))).toBe(set(text));
  });

  it.each([
    'mcp_servers = { pincer = { url = "old" } }\n',
    '[mcp_servers]\npincer.url = "old"\n',
    'x = """\n[mcp_servers.pincer]\n"""\n[mcp_servers.pincer]\nurl = "old"\n',
  ])('is refused if an edit would lose something: %j', (text) => {
    expect(() => set(text)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        hint: expect.stringContaining('[mcp_servers.pincer]') as string,
      }),
    );
  });

  it('is refused if it is broken, with the line', () => {
    expect(() => set('a = 1\nb = \n')).toThrow(
      expect.objectContaining({ message: expect.stringContaining('config.toml, line 2') as string }),
    );
  });
});

describe('diffLines', () => {
  const show = (before: string, after: string): string[] =>
    diffLines(before, after).map(({ sign, text }) => sign + text);

  it.each<[string, string, string[]]>([
    ['a\nb\nc\n', 'a\nb\nc\n', []],
    ['', 'a\n', ['+a']],
    ['a\n', '', ['-a']],
    ['a\nb\nc\nd\ne\nf\n', 'a\nb\nc\nX\ne\nf\n', [' b', ' c', '-d', '+X', ' e', ' f']],
    ['a\na\n', 'a\na\na\n', [' a', ' a', '+a']],
    ['a', 'b', ['-a', '+b']],
  ])('%j and %j', (before, after, lines) => expect(show(before, after)).toEqual(lines));
});
