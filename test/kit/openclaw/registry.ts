/**
 * An npm registry on loopback. It serves packages of this workspace as they would be published, and all others from
 * the usual registry.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { EnvHttpProxyAgent, fetch } from 'undici';

export interface PackedPackage {
  name: string;
  version: string;
  /** The tarball, as `npm publish` would send it. */
  file: string;
  manifest: object;
  integrity: string;
  shasum: string;
}

export interface Registry extends AsyncDisposable {
  url: string;
}

const run = promisify(execFile);

/** Packs what was built in a package's folder, without running its scripts. */
export async function packPackage(folder: string, into: string): Promise<PackedPackage> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', into];
  const { stdout } = await run('npm', args, { cwd: folder });
  const [packed] = JSON.parse(stdout) as (Omit<PackedPackage, 'file' | 'manifest'> & { filename: string })[];
  const { filename, ...facts } = packed!;
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
  return { ...facts, file: join(into, filename), manifest };
}

export async function startRegistry(packages: readonly PackedPackage[]): Promise<Registry> {
  const usual = (await run('npm', ['config', 'get', 'registry'])).stdout.trim().replace(/\/*$/, '/');
  const dispatcher = new EnvHttpProxyAgent();
  let url = '';

  async function forward(path: string, accept: string, response: ServerResponse): Promise<void> {
    const answer = await fetch(usual + path, { headers: { accept }, dispatcher });
    const type = answer.headers.get('content-type') ?? 'application/octet-stream';
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { 'content-type': type });
    // Rewrites the tarball URLs in a package's metadata, so that tarballs come from here too.
    response.end(type.includes('json') ? body.toString().replaceAll(usual, url) : body);
  }

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const named = packages.find(({ name }) => path === name);
    const packed = packages.find((one) => path === tarballPath(one));
    const served =
      named !== undefined
        ? Promise.resolve(void response.end(JSON.stringify(packument(named, url))))
        : packed !== undefined
          ? pipeline(createReadStream(packed.file), response)
          : forward((request.url ?? '').slice(1), request.headers.accept ?? '*/*', response);
    served.catch((error: unknown) => response.writeHead(502).end(String(error)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await dispatcher.close();
    },
  };
}

const tarballPath = ({ name, version }: PackedPackage): string =>
  `${name}/-/${name.split('/').at(-1)}-${version}.tgz`;

function packument(packed: PackedPackage, url: string): object {
  const { name, version, manifest, integrity, shasum } = packed;
  const dist = { tarball: url + tarballPath(packed), integrity, shasum };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}
