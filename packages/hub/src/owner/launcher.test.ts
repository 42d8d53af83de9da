import { describe, expect, it } from 'vitest';
import { resolveLauncher } from './launcher.ts';

const NODE = 'C:\\Program Files\\nodejs';
const GLOBAL = 'C:\\Users\\p\\AppData\\Roaming\\npm';
const PROJECT = 'D:\\project\\node_modules\\.bin';
const PATH = `C:\\Windows\\system32;"${NODE}";${GLOBAL};;${PROJECT}`;

/** As npm 11 (cmd-shim 8) writes it. */
const NPM_11 = (target: string, args = ''): string =>
  `@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n\r\n` +
  `IF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n) ELSE (\r\n  SET "_prog=node"\r\n` +
  `  SET PATHEXT=%PATHEXT:;.JS;=;%\r\n)\r\n\r\n` +
  `endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%" ${args} "%dp0%\\${target}" %*\r\n`;
/** As later versions write it. */
const NPM_12 = (target: string): string =>
  NPM_11(target)
    .replace('  SET PATHEXT=%PATHEXT:;.JS;=;%\r\n', '')
    .replace('& "%_prog%"', '& set PATHEXT=%PATHEXT:;.JS;=;% & "%_prog%"');
/** A program that is not a script, as npm 10 and 11 write it. */
const NPM_PROGRAM = (target: string): string =>
  `@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n"%dp0%\\${target}"   %*\r\n`;
/** As npm 6 and yarn 1 wrote it. */
const NPM_6 = (target: string): string =>
  `@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe"  "%~dp0\\${target}" %*\r\n) ELSE (\r\n  @SETLOCAL\r\n` +
  `  @SET PATHEXT=%PATHEXT:;.JS;=;%\r\n  node  "%~dp0\\${target}" %*\r\n)`;
const PNPM = (target: string, args = ''): string =>
  `@SETLOCAL\r\n@IF NOT DEFINED NODE_PATH (\r\n  @SET "NODE_PATH=D:\\project\\node_modules\\.pnpm\\node_modules"\r\n) ELSE (\r\n` +
  `  @SET "NODE_PATH=D:\\project\\node_modules\\.pnpm\\node_modules;%NODE_PATH%"\r\n)\r\n` +
  `@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe" ${args} "%~dp0\\${target}" %*\r\n) ELSE (\r\n` +
  `  @SET PATHEXT=%PATHEXT:;.JS;=;%\r\n  node ${args} "%~dp0\\${target}" %*\r\n)\r\n`;
/** With its own Node. */
const PNPM_NODE = '@SETLOCAL\r\n@"C:\\pnpm\\nodejs\\24.0.0\\node.exe"  "%~dp0\\..\\s\\index.js" %*\r\n';
const YARN = '@echo off\r\nnode "%~dp0\\yarn.js" %*\r\n';
const COREPACK =
  '@SETLOCAL\r\n@IF EXIST "%~dp0\\node.exe" (\r\n  "%~dp0\\node.exe"  "%~dp0\\node_modules\\corepack\\dist\\pnpm.js" %*\r\n' +
  ') ELSE (\r\n  @SET PATHEXT=%PATHEXT:;.JS;=;%\r\n  node  "%~dp0\\node_modules\\corepack\\dist\\pnpm.js" %*\r\n)\r\n';
/** The beginning and the end of the file that comes with Node. */
const NPX =
  ':: Created by npm, please don\'t edit manually.\r\n@ECHO OFF\r\n\r\nSETLOCAL\r\n\r\nSET "NODE_EXE=%~dp0\\node.exe"\r\n' +
  'SET "NPX_CLI_JS=%~dp0\\node_modules\\npm\\bin\\npx-cli.js"\r\nFOR /F "delims=" %%F IN (\'CALL "%NODE_EXE%" "%NPM_PREFIX_JS%"\') DO (\r\n' +
  '  SET "NPM_PREFIX_NPX_CLI_JS=%%F\\node_modules\\npm\\bin\\npx-cli.js"\r\n)\r\n"%NODE_EXE%" "%NPX_CLI_JS%" %*\r\n';

const FILES: Record<string, string> = {
  [`${NODE}\\node.exe`]: '',
  [`${NODE}\\npx`]: '#!/bin/sh',
  [`${NODE}\\npx.cmd`]: NPX,
  [`${NODE}\\npm.cmd`]: NPX,
  [`${NODE}\\node_modules\\npm\\bin\\npx-cli.js`]: '',
  [`${NODE}\\node_modules\\npm\\bin\\npm-cli.js`]: '',
  [`${NODE}\\pnpm.cmd`]: COREPACK,
  [`${GLOBAL}\\mcp-server.cmd`]: NPM_11('node_modules\\mcp-server\\dist\\index.js'),
  [`${GLOBAL}\\mcp-later.cmd`]: NPM_12('node_modules\\mcp-later\\cli.js'),
  [`${GLOBAL}\\mcp-flags.cmd`]: NPM_11('node_modules\\mcp-flags\\cli.js', '--enable-source-maps'),
  [`${GLOBAL}\\mcp-program.cmd`]: NPM_PROGRAM('node_modules\\mcp-program\\bin\\server.exe'),
  [`${GLOBAL}\\yarn.cmd`]: YARN,
  [`${PROJECT}\\old.cmd`]: NPM_6('..\\old\\bin\\old'),
  [`${PROJECT}\\mine.cmd`]: PNPM('..\\mine\\cli.mjs'),
  [`${PROJECT}\\flagged.cmd`]: PNPM('..\\flagged\\cli.mjs', '--no-warnings'),
  [`${PROJECT}\\own-node.cmd`]: PNPM_NODE,
  ['C:\\Windows\\system32\\uvx.exe']: '',
  ['D:\\project\\tools\\run.exe']: '',
  ['D:\\project\\planted.exe']: '',
};

function resolve(command: string, args: string[] = ['a b', '&calc'], over: Record<string, string> = {}) {
  const files = { ...FILES, ...over };
  const byName = new Map(Object.entries(files).map(([path, text]) => [path.toLowerCase(), text]));
  const env = { Path: PATH, PATHEXT: '.COM;.EXE;.BAT;.CMD;.JS' };
  const launch = resolveLauncher(
    { command, args, cwd: 'D:\\project', env },
    {
      node: 'C:\\hub\\node.exe',
      folder: 'C:\\hub',
      files: {
        exists: (path) => byName.has(path.toLowerCase()),
        read: (path) => byName.get(path.toLowerCase())!,
      },
    },
  );
  return typeof launch === 'string' ? launch : [launch.command, ...launch.args];
}

const NODE_EXE = `${NODE}\\node.exe`;

describe('a launcher on Windows', () => {
  it.each([
    ['npx', `${NODE}\\node_modules\\npm\\bin\\npx-cli.js`],
    ['npx.cmd', `${NODE}\\node_modules\\npm\\bin\\npx-cli.js`],
    ['NPM', `${NODE}\\node_modules\\npm\\bin\\npm-cli.js`],
    [`${NODE}\\npx`, `${NODE}\\node_modules\\npm\\bin\\npx-cli.js`],
    ['pnpm', `${NODE}\\node_modules\\corepack\\dist\\pnpm.js`],
    ['yarn', `${GLOBAL}\\yarn.js`],
    ['mcp-server', `${GLOBAL}\\node_modules\\mcp-server\\dist\\index.js`],
    ['mcp-later', `${GLOBAL}\\node_modules\\mcp-later\\cli.js`],
    ['old', 'D:\\project\\node_modules\\old\\bin\\old'],
    ['mine', 'D:\\project\\node_modules\\mine\\cli.mjs'],
    ['node_modules/.bin/mine.cmd', 'D:\\project\\node_modules\\mine\\cli.mjs'],
    ['.\\node_modules\\.bin\\mine', 'D:\\project\\node_modules\\mine\\cli.mjs'],
  ])('%s becomes node with a script and unchanged arguments', (command, script) => {
    expect(resolve(command)).toEqual([NODE_EXE, script, 'a b', '&calc']);
  });

  it.each([
    ['mcp-flags', ['--enable-source-maps', `${GLOBAL}\\node_modules\\mcp-flags\\cli.js`]],
    ['flagged', ['--no-warnings', 'D:\\project\\node_modules\\flagged\\cli.mjs']],
  ])('%s passes on its node options', (command, args) => {
    expect(resolve(command, ['x'])).toEqual([NODE_EXE, ...args, 'x']);
  });

  it('uses the node it names, else the one beside it, else the one on the search path', () => {
    expect(resolve('own-node')).toEqual([
      'C:\\pnpm\\nodejs\\24.0.0\\node.exe',
      'D:\\project\\node_modules\\s\\index.js',
      'a b',
      '&calc',
    ]);
    expect(resolve('mine', [], { [`${PROJECT}\\node.exe`]: '' })[0]).toBe(`${PROJECT}\\node.exe`);
    expect(resolve('C:\\x\\y', [], { 'C:\\x\\y.cmd': NPM_11('y.js') })).toEqual([NODE_EXE, 'C:\\x\\y.js']);
  });

  it('may start a program', () => {
    expect(resolve('mcp-program', ['x'])).toEqual([
      `${GLOBAL}\\node_modules\\mcp-program\\bin\\server.exe`,
      'x',
    ]);
  });
});

it("a script runs with the hub's own node if there is no other", () => {
  const files = { exists: (path: string) => path === 'C:\\x\\y.cmd', read: () => NPM_6('y.js') };
  const options = { command: 'C:\\x\\y.cmd', args: [], cwd: undefined, env: {} };
  expect(resolveLauncher(options, { node: 'C:\\hub\\node.exe', folder: 'C:\\hub', files })).toMatchObject({
    command: 'C:\\hub\\node.exe',
    args: ['C:\\x\\y.js'],
  });
});

describe('a program on Windows', () => {
  it.each([
    ['uvx', 'C:\\Windows\\system32\\uvx.exe'],
    ['node', NODE_EXE],
    ['tools\\run', 'D:\\project\\tools\\run.exe'],
    ['D:/project/tools/run.exe', 'D:\\project\\tools\\run.exe'],
  ])('%s is started from where it was found', (command, path) => {
    expect(resolve(command)).toEqual([path, 'a b', '&calc']);
  });

  it.each(['nowhere', 'planted', 'C:\\nowhere\\x.cmd'])('a missing %s stays unchanged', (command) => {
    expect(resolve(command)).toEqual([command, 'a b', '&calc']);
  });
});

describe('a batch file that needs a shell', () => {
  const refusal = (text: string): unknown => resolve('server', [], { [`${GLOBAL}\\server.bat`]: text });

  it.each([
    ['does something else', '@echo off\r\necho %*\r\n'],
    ['starts another batch file', '@SETLOCAL\r\n  cmd /C "%~dp0\\src.bat" %*\r\n'],
    ['starts another interpreter', NPM_6('x.py').replaceAll('node', 'python')],
    ['sets a variable', `@SET NODE_OPTIONS=--require=x\r\n${YARN}`],
    ['quotes the shell', '@echo off\r\nnode "%~dp0\\%1.js" %*\r\n'],
    ['does two things', '@echo off\r\nnode "%~dp0\\x.js" %* & del x\r\n'],
    ['redirects', '@echo off\r\nnode "%~dp0\\x.js" > y %*\r\n'],
    ['is empty', ''],
  ])('is refused if it %s', (_what, text) => {
    expect(refusal(text)).toMatch(
      /^"server" is a batch file \(server\.bat\) that needs a shell, which Pincer does not run/,
    );
  });
});
