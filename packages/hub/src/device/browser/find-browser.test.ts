import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/kit/temporary-folder.ts';
import { browserReadiness, usualPlaces } from './find-browser.ts';

const folder = temporaryFolder('find-browser');
afterAll(() => folder[Symbol.dispose]());

function program(path: string): string {
  const whole = join(folder.path, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, '');
  chmodSync(whole, 0o700);
  return whole;
}

describe('the browser of a machine', () => {
  it('is the one in PINCER_BROWSER, as a path or a name', () => {
    const path = program('own/my-browser');
    const env = { PATH: dirname(path) };
    expect(browserReadiness({ platform: 'linux', env: { ...env, PINCER_BROWSER: path } })).toEqual({
      available: true,
      path,
    });
    expect(
      browserReadiness({ platform: 'linux', env: { ...env, PINCER_BROWSER: 'my-browser' } }),
    ).toMatchObject({ path });
    expect(
      browserReadiness({ platform: 'linux', env: { ...env, PINCER_BROWSER: '/no/such' } }),
    ).toMatchObject({
      available: false,
      reason: 'PINCER_BROWSER does not name an executable program',
    });
  });

  it('is searched on the PATH, Chromium first', () => {
    const chrome = program('path/google-chrome');
    const env = { PATH: dirname(chrome) };
    expect(browserReadiness({ platform: 'linux', env })).toEqual({ available: true, path: chrome });
    const chromium = program('path/chromium');
    expect(browserReadiness({ platform: 'linux', env })).toEqual({ available: true, path: chromium });
  });

  it('is found in the usual places of macOS', () => {
    const path = program('Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge');
    const found = browserReadiness({ platform: 'darwin', env: { HOME: folder.path } });
    expect(found).toEqual({ available: true, path });
  });

  it('is searched in the usual places of Windows', () => {
    const places = usualPlaces('win32', {
      PROGRAMFILES: 'C:\\P',
      LOCALAPPDATA: 'C:\\L',
      'ProgramFiles(x86)': 'C:\\X',
    });
    expect(places).toEqual(
      expect.arrayContaining([
        'C:\\P\\Google\\Chrome\\Application\\chrome.exe',
        'C:\\X\\Microsoft\\Edge\\Application\\msedge.exe',
        'C:\\L\\Google\\Chrome\\Application\\chrome.exe',
      ]),
    );
  });

  it('is searched by each variable of Windows, in any case', () => {
    for (const variable of ['ProgramFiles', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'])
      expect(usualPlaces('win32', { [variable]: 'C:\\X' })).toEqual([
        'C:\\X\\Google\\Chrome\\Application\\chrome.exe',
        'C:\\X\\Chromium\\Application\\chrome.exe',
        'C:\\X\\Microsoft\\Edge\\Application\\msedge.exe',
      ]);
    expect(usualPlaces('win32', { 'ProgramFiles(x86)': 'C:\\X' })).toHaveLength(3);
  });

  it('comes with an install hint if it is missing', () => {
    const none = browserReadiness({ platform: 'win32', env: { PATH: '' } });
    expect(none).toMatchObject({
      available: false,
      hint: expect.stringContaining('Install Microsoft Edge') as string,
    });
  });
});
