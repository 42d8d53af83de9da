/**
 * A folder filled by a stranger, and a server that a person approved: a package from a registry on loopback, or a
 * Python module. Any code that runs from the folder leaves a mark.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packPackage, startRegistry, type Registry } from './openclaw/registry.ts';
import { temporaryFolder } from './temporary-folder.ts';

export const PACKAGE = 'my-mcp-server';
export const VERSION = '1.0.0';

/** Its tool reports its working folder and what it can see. */
const SERVER = `#!/usr/bin/env node
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
const facts = () => JSON.stringify({ cwd: process.cwd(), env: process.env, argv: process.argv.slice(2) });
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') return answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'approved', version: '1.0.0' } });
  if (method === 'tools/list') return answer(id, { tools: [{ name: 'facts', inputSchema: { type: 'object' } }] });
  if (method === 'tools/call') return answer(id, { content: [{ type: 'text', text: facts() }] });
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
});
`;

const PYTHON_SERVER = `import argparse, json, os, sys
def answer(id, result): print(json.dumps({'jsonrpc': '2.0', 'id': id, 'result': result}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    id, method = message.get('id'), message.get('method')
    if id is None: continue
    if method == 'initialize': answer(id, {'protocolVersion': message['params']['protocolVersion'], 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'approved', 'version': '1'}})
    elif method == 'tools/list': answer(id, {'tools': [{'name': 'facts', 'inputSchema': {'type': 'object'}}]})
    elif method == 'tools/call': answer(id, {'content': [{'type': 'text', 'text': json.dumps({'cwd': os.getcwd(), 'env': dict(os.environ), 'argv': sys.argv[1:]})}]})
    else: print(json.dumps({'jsonrpc': '2.0', 'id': id, 'error': {'code': -32601, 'message': 'no'}}), flush=True)
`;

export interface Facts {
  cwd: string;
  env: Record<string, string>;
  argv: string[];
}

export interface Scene extends AsyncDisposable {
  /** The person's home folder. Its `.npmrc` names the good registry. */
  home: string;
  good: Registry;
  /** Serves a package of the same name and version that leaves the mark `registry`. */
  evil: Registry;
  /** The folder of the approved Python module. */
  modules: string;
  /** The folder of the approved programs that have no package. */
  bin: string;
  /** The interpreter itself. A version manager's shim would need the person's real home folder. */
  python: string;
  /** The hub's environment. */
  env: Record<string, string>;
  /** Creates a folder with these files. A text that begins with `#!` becomes a program. */
  folder(name: string, files?: Record<string, string>): string;
  /** JavaScript, Python and shell code that leave this mark. */
  mark(name: string): { js: string; py: string; sh: string };
  hasRun(name: string): boolean;
}

export async function openScene(): Promise<Scene> {
  const root = temporaryFolder('scene');
  const at = (...names: string[]): string => join(root.path, ...names);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  };
  const marked = (name: string): string => at('marks', name);
  const mark: Scene['mark'] = (name) => ({
    js: `require('node:fs').writeFileSync(${JSON.stringify(marked(name))}, Object.keys(process.env).join());\n`,
    py: `open(${JSON.stringify(marked(name))}, 'w').close()\n`,
    sh: `#!/bin/sh\n: > '${marked(name)}'\n`,
  });
  mkdirSync(at('marks'));
  write(at('modules', 'approved_server.py'), PYTHON_SERVER);
  const manifest = JSON.stringify({ name: PACKAGE, version: VERSION, bin: { [PACKAGE]: 'server.js' } });
  const pack = async (kind: string, text: string): Promise<Registry> => {
    write(at(kind, 'package.json'), manifest);
    write(at(kind, 'server.js'), text);
    return startRegistry([await packPackage(at(kind), at(kind))]);
  };
  const [good, evil] = await Promise.all([
    pack('good', SERVER),
    pack('evil', `#!/usr/bin/env node\n${mark('registry').js}`),
  ]);
  const home = at('home');
  write(join(home, '.npmrc'), `registry=${good.url}\nupdate-notifier=false\n`);
  write(at('bin', 'approved-helper'), SERVER);
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).trim();
  return {
    home,
    good,
    evil,
    modules: at('modules'),
    bin: at('bin'),
    python,
    env: { HOME: home, NPM_CONFIG_REGISTRY: '', NPM_CONFIG_USERCONFIG: '' },
    folder(name, files = {}) {
      mkdirSync(at(name), { recursive: true });
      for (const [path, text] of Object.entries(files)) write(at(name, path), text);
      return at(name);
    },
    mark,
    hasRun: (name) => existsSync(marked(name)),
    async [Symbol.asyncDispose]() {
      await good[Symbol.asyncDispose]();
      await evil[Symbol.asyncDispose]();
      root[Symbol.dispose]();
    },
  };
}
