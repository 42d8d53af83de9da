import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/kit/temporary-folder.ts';
import { legacySettingsPath, readLegacySettings, takeLegacySettings } from './legacy-settings.ts';
import { verifies } from '../../../../test/verifies.ts';

const folders = new DisposableStack();
afterAll(() => folders.dispose());

describe('readLegacySettings', () => {
  it.each([
    ['{"EnableNodeMode":true,"EnableMcpServer":false}', { nodeMode: true, mcpServer: false }],
    ['{"EnableNodeMode":false}', { nodeMode: false }],
    ['{"McpOnlyMode":true,"EnableNodeMode":true}', { nodeMode: false, mcpServer: true }],
    ['{"McpOnlyMode":false,"EnableMcpServer":true}', { mcpServer: true }],
    ['\uFEFF{"EnableMcpServer":true}', { mcpServer: true }],
    ['{"EnableMcpServer":"yes","NodeScreenEnabled":true}', {}],
    ['[]', {}],
    ['{', {}],
  ])('%s', (text, expected) => {
    verifies('000-settings-legacy-mcp-only', '000-settings-windows-toggles');
    expect(readLegacySettings(text)).toEqual(expected);
  });
});

describe('legacySettingsPath', () => {
  it('uses the folder of the variable, or else that of the app', () => {
    expect(legacySettingsPath({ OPENCLAW_TRAY_DATA_DIR: '/d', APPDATA: '/a' })).toBe('/d/settings.json');
    expect(legacySettingsPath({ APPDATA: '/a' })).toBe('/a/OpenClawTray/settings.json');
    expect(legacySettingsPath({})).toBeUndefined();
  });
});

describe('takeLegacySettings', () => {
  function open(settings: object, config?: string) {
    const { path: folder } = folders.use(temporaryFolder('legacy'));
    const home = join(folder, 'home');
    const tray = join(folder, 'tray');
    mkdirSync(home);
    mkdirSync(tray);
    const file = join(tray, 'settings.json');
    writeFileSync(file, JSON.stringify(settings));
    const configPath = join(home, 'config.json');
    if (config !== undefined) writeFileSync(configPath, config);
    const take = () =>
      takeLegacySettings({
        home,
        env: { OPENCLAW_TRAY_DATA_DIR: tray },
        configPath,
        write: (path, text) => writeFileSync(path, text),
      });
    return { take, file, configPath };
  }

  it('imports once and does not change the old file', () => {
    verifies('000-settings-windows-toggles', '000-settings-legacy-not-written');
    const { take, file, configPath } = open({ EnableNodeMode: true, EnableMcpServer: false });
    const before = readFileSync(file, 'utf8');
    expect(take()).toBe(file);
    expect(JSON.parse(readFileSync(configPath, 'utf8'))).toEqual({
      device: { nodeMode: true, mcpServer: false },
    });
    writeFileSync(configPath, '{}');
    expect(take()).toBeUndefined();
    expect(readFileSync(configPath, 'utf8')).toBe('{}');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('does not overwrite the configuration', () => {
    const { take, configPath } = open({ EnableNodeMode: true }, '{ device: { nodeMode: false } } // mine');
    expect(take()).toBeUndefined();
    expect(readFileSync(configPath, 'utf8')).toBe('{ device: { nodeMode: false } } // mine');
  });

  it.each([
    ['a folder', (file: string) => mkdirSync(file)],
    ['a pipe', (file: string) => void execFileSync('mkfifo', [file])],
    [
      'too large',
      (file: string) => writeFileSync(file, `{"EnableNodeMode":true,"x":"${' '.repeat(1 << 20)}"}`),
    ],
  ])('ignores a file that is %s', (_, make) => {
    const { take, file, configPath } = open({});
    rmSync(file);
    make(file);
    expect(take()).toBeUndefined();
    expect(existsSync(configPath)).toBe(false);
  });

  it('writes nothing without supported settings', () => {
    const { take, configPath } = open({ AutoStart: true });
    expect(take()).toBeUndefined();
    expect(existsSync(configPath)).toBe(false);
  });
});
