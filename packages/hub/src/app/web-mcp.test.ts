import { describe, expect, it } from 'vitest';
import type { AppTool, ToolCall } from './tool.ts';
import { watchModelContext, type ListedTool, type ModelContext, type PageTool } from './web-mcp.ts';

const call = (signal = new AbortController().signal): ToolCall => ({
  signal,
  requestId: 'r',
  progress: () => {},
});
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

const add: PageTool = {
  name: 'math.add',
  title: '',
  description: 'Adds.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
  annotations: { readOnlyHint: true },
  execute: (args) => ({ sum: (args as { a: number }).a + 1 }),
};

async function watched(context: ModelContext): Promise<{ lists: (readonly AppTool[])[]; stop(): void }> {
  const lists: (readonly AppTool[])[] = [];
  const { stop } = await watchModelContext(
    (tools) => lists.push(tools),
    () => context,
  );
  return { lists, stop };
}

/** Like Chromium 156, or like earlier versions, which use text. */
function listing(takes: 'object' | 'text'): ModelContext & { tools: Map<string, PageTool>; change(): void } {
  const target = new EventTarget();
  const tools = new Map<string, PageTool>();
  const change = (): void => void target.dispatchEvent(new Event('toolchange'));
  return {
    tools,
    change,
    registerTool(tool) {
      tools.set(tool.name, tool);
      change();
    },
    getTools: async () =>
      [...tools.values()].map((tool): ListedTool => {
        const { inputSchema = {}, ...rest } = JSON.parse(JSON.stringify(tool)) as ListedTool;
        return { ...rest, inputSchema: takes === 'text' ? JSON.stringify(inputSchema) : inputSchema };
      }),
    async executeTool(tool, args, { signal }) {
      const given: unknown = takes === 'text' ? JSON.parse(String(args)) : JSON.parse(JSON.stringify(args));
      const value = await tools
        .get(tool.name)!
        .execute(given, { signal, requestUserInteraction: (act) => act() });
      return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
    },
    addEventListener: (name, listener) => target.addEventListener(name, listener),
    removeEventListener: (name, listener) => target.removeEventListener(name, listener),
  };
}

describe.each(['object', 'text'] as const)('browser that lists tools and takes %s', (takes) => {
  it('offers the registered tools with names that are valid for models', async () => {
    const context = listing(takes);
    context.registerTool(add);
    const { lists } = await watched(context);
    expect(lists).toHaveLength(1);
    expect(lists[0]).toMatchObject([
      {
        name: 'math_add',
        description: 'Adds.',
        input: { type: 'object', properties: { a: { type: 'number' } } },
        annotations: { readOnlyHint: true },
      },
    ]);
    expect(lists[0]![0]).not.toHaveProperty('title');
    expect(await lists[0]![0]!.run({ a: 1 }, call())).toEqual({ sum: 2 });
  });

  it('reports later changes until the watch ends', async () => {
    const context = listing(takes);
    const { lists, stop } = await watched(context);
    expect(lists.at(-1)).toEqual([]);
    context.registerTool(add);
    await later();
    expect(lists.at(-1)).toHaveLength(1);
    stop();
    context.tools.clear();
    context.change();
    await later();
    expect(lists.at(-1)).toHaveLength(1);
  });
});

describe('result of a page tool', () => {
  it.each<[given: unknown, result: unknown]>([
    [{ a: 1 }, { a: 1 }],
    [[1], [1]],
    ['plain', 'plain'],
    ['12', '12'],
    ['{no json', '{no json'],
    [undefined, undefined],
    [{ content: [{ type: 'text', text: 'hi' }] }, [{ type: 'text', text: 'hi' }]],
    [{ content: [{ type: 'text', text: 'hi' }], structuredContent: { a: 1 } }, { a: 1 }],
  ])('%j becomes %j', async (given, result) => {
    const context = listing('object');
    context.registerTool({ ...add, execute: () => given });
    const { lists } = await watched(context);
    expect(await lists[0]![0]!.run({}, call())).toEqual(result);
  });

  it('may be an error', async () => {
    const context = listing('object');
    context.registerTool({
      ...add,
      execute: () => ({ content: [{ type: 'text', text: 'No.' }], isError: true }),
    });
    const { lists } = await watched(context);
    await expect(lists[0]![0]!.run({}, call())).rejects.toThrow('No.');
  });
});

it('numbers names that become equal, and ignores an invalid schema', async () => {
  const context = listing('object');
  context.registerTool({ ...add, name: 'a.b', inputSchema: '{' });
  context.registerTool({ ...add, name: 'a/b', inputSchema: { type: 'string' } });
  const { lists } = await watched(context);
  expect(lists[0]).toMatchObject([
    { name: 'a_b', input: { type: 'object' } },
    { name: 'a_b_2', input: { type: 'object' } },
  ]);
});

describe('browser with registrations only', () => {
  class Draft implements ModelContext {
    names: string[] = [];
    registerTool(tool: PageTool): void {
      if (this.names.includes(tool.name)) throw new Error('Duplicate tool name');
      this.names.push(tool.name);
    }
    unregisterTool(name: string): void {
      this.names = this.names.filter((each) => each !== name);
    }
    provideContext(context?: { tools?: readonly PageTool[] }): void {
      this.names = (context?.tools ?? []).map(({ name }) => name);
    }
    clearContext(): void {
      this.names = [];
    }
  }

  it('is observed, and behaves as before', async () => {
    const context: ModelContext & { names: string[] } = new Draft();
    const { lists, stop } = await watched(context);
    const names = (): string[] => lists.at(-1)!.map(({ name }) => name!);
    context.registerTool(add);
    expect([names(), context.names]).toEqual([['math_add'], ['math.add']]);
    expect(() => context.registerTool(add)).toThrow('Duplicate tool name');
    expect(await lists.at(-1)![0]!.run({ a: 4 }, call())).toEqual({ sum: 5 });
    const controller = new AbortController();
    context.registerTool({ ...add, name: 'short' }, { signal: controller.signal });
    expect(names()).toEqual(['math_add', 'short']);
    controller.abort();
    expect(names()).toEqual(['math_add']);
    context.unregisterTool!('math.add');
    expect(names()).toEqual([]);
    context.provideContext!({ tools: [add, { ...add, name: 'b' }] });
    expect(names()).toEqual(['math_add', 'b']);
    context.clearContext!();
    expect([names(), context.names]).toEqual([[], []]);
    stop();
    expect(Object.keys(context)).toEqual(['names']);
    expect(Object.hasOwn(context, 'registerTool')).toBe(false);
  });

  it('gives tools a signal and a way to ask the person', async () => {
    const context = new Draft();
    const { lists } = await watched(context);
    const controller = new AbortController();
    context.registerTool({
      ...add,
      execute: (_, { signal, requestUserInteraction }) => [
        signal === controller.signal,
        requestUserInteraction(() => 'yes'),
      ],
    });
    expect(await lists.at(-1)![0]!.run({}, call(controller.signal))).toEqual([true, 'yes']);
  });
});

it('ignores a WebMCP that cannot be followed', async () => {
  const { lists, stop } = await watched(Object.freeze({ registerTool: () => {} }));
  expect(lists).toEqual([]);
  stop();
});
