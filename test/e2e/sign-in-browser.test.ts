/** `pincer login` opens a real Chromium, which completes the sign-in. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openCliHome } from '../kit/cli.ts';
import { eventually } from '../kit/processes.ts';
import { startAuthorizationServer } from '../servers/sign-in/authorization-server.ts';
import { startProtectedServer } from '../servers/sign-in/protected-server.ts';
import { verifies } from '../verifies.ts';

it('signs in with the browser that the command opened', async () => {
  verifies('004-9.3-browser', '004-9.3-callback');
  const folder = mkdtempSync(join(tmpdir(), 'pincer-browser-'));
  try {
    await using issuer = await startAuthorizationServer({ resources: () => ({ [docs.resource]: 'mcp' }) });
    await using docs = await startProtectedServer({ issuer: () => issuer.issuer });
    await using cli = openCliHome();
    cli.configure({ docs: { url: docs.url } });
    const seen = join(folder, 'page.html');
    const flags = `--headless --no-sandbox --disable-gpu --user-data-dir='${join(folder, 'profile')}' --dump-dom`;
    writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nexec chromium ${flags} "$1" > '${seen}'\n`);
    chmodSync(join(folder, 'xdg-open'), 0o755);
    const env = { PATH: `${folder}:${process.env['PATH']}`, DISPLAY: ':0' };

    const { code, document } = await cli.json(['login', 'docs'], { env });
    expect({ code, document }).toMatchObject({ code: 0, document: { ok: true, server: 'docs', tools: 2 } });
    const page = (): string => readFileSync(seen, 'utf8');
    await eventually(() => page().includes('</html>'), 20_000);
    expect(page()).toContain('<h1>Signed in</h1>');
    expect(await cli.json(['call', 'docs.echo', 'message=hi'])).toMatchObject({ code: 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
});
