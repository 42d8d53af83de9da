/** A real nginx in front of the proxy. It writes only into its own folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../processes.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface NginxOptions {
  port: number;
  /** The proxy's address. */
  upstream: string;
  /** Whether nginx forwards the client's Host header or sets its own. */
  keepsHost: boolean;
}

const START_MS = 20_000;

export async function startNginx(options: NginxOptions): Promise<AsyncDisposable> {
  const folder = temporaryFolder('nginx');
  mkdirSync(join(folder.path, 'temp'));
  writeFileSync(join(folder.path, 'nginx.conf'), configText(options));
  const child = spawn('nginx', ['-p', folder.path, '-c', 'nginx.conf', '-e', 'error.log'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let written = '';
  child.stderr.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const ended = once(child, 'close');
  const isUp = async (): Promise<boolean> =>
    child.exitCode !== null ||
    (await fetch(`http://127.0.0.1:${options.port}/health`).then(
      () => true,
      () => false,
    ));
  const came = await eventually(isUp, START_MS, 50);
  if (!came || child.exitCode !== null) {
    child.kill('SIGKILL');
    throw new Error(`nginx did not start: ${written}`);
  }
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      folder[Symbol.dispose]();
    },
  };
}

/** Configured as an operator would: upgrades WebSockets and forwards all headers, as nginx does by default. */
const configText = ({ port, upstream, keepsHost }: NginxOptions): string => `
daemon off;
master_process off;
pid nginx.pid;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path temp/${name};`).join('\n  ')}
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${upstream};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      ${keepsHost ? 'proxy_set_header Host $http_host;' : ''}
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
  }
}
`;
