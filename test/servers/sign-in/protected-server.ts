/** A resource server: checks the token of each request, then forwards it to a fixture MCP server. */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { ServerFlags } from '../flags.ts';
import { startHttpServer } from '../start.ts';

export interface ProtectedServerOptions {
  /** The issuer of its tokens; a function, because either may start first. */
  issuer: () => string;
  /** The scope that every request needs. */
  scope?: string;
  /** Tools that need an additional scope. */
  toolScopes?: Readonly<Record<string, string>>;
  /** If false, the challenge names no scope. */
  namesScope?: boolean;
  flags?: Partial<Omit<ServerFlags, 'transport' | 'port'>>;
}

export interface ProtectedServer extends AsyncDisposable {
  url: string;
  resource: string;
  /** The `Authorization` header of each request. */
  authorizations: (string | undefined)[];
  /** The reasons of refused requests. */
  refusals: string[];
  /** Refuses this token from now on, as if it were revoked. */
  refuse(token: string): void;
}

export async function startProtectedServer(options: ProtectedServerOptions): Promise<ProtectedServer> {
  const { scope = 'mcp', toolScopes = {}, namesScope = true } = options;
  const inner = await startHttpServer({ era: 'dual', tools: ['echo', 'add'], ...options.flags });
  const target = new URL(inner.url);
  const refused = new Set<string>();
  const authorizations: (string | undefined)[] = [];
  const refusals: string[] = [];
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const resource = `${origin}/mcp`;
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
  let keys: ReturnType<typeof createRemoteJWKSet> | undefined;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === new URL(metadata).pathname) {
      response.setHeader('content-type', 'application/json');
      const supported = [scope, ...Object.values(toolScopes)];
      const body = { resource, authorization_servers: [options.issuer()], scopes_supported: supported };
      return void response.end(JSON.stringify(body));
    }
    const body = await bodyOf(request);
    authorizations.push(request.headers.authorization);
    const refusal = await refusalOf(request, body);
    if (refusal === undefined) return forward(request, body, response);
    refusals.push(`${refusal.status} ${refusal.why}`);
    response.writeHead(refusal.status, { 'www-authenticate': refusal.challenge }).end();
  }

  async function refusalOf(request: IncomingMessage, body: Buffer): Promise<Refusal | undefined> {
    const token = /^(?:Bearer|DPoP) (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const named = namesScope ? `, scope="${scope}"` : '';
    const challenge = `Bearer resource_metadata="${metadata}"${named}`;
    if (token === undefined) return { status: 401, challenge, why: 'no token' };
    if (refused.has(token))
      return { status: 401, challenge: `${challenge}, error="invalid_token"`, why: 'revoked' };
    keys ??= createRemoteJWKSet(new URL(`${options.issuer()}/jwks`));
    const verified = await jwtVerify<{ scope?: string }>(token, keys, {
      issuer: options.issuer(),
      audience: resource,
    }).catch(String);
    if (typeof verified === 'string')
      return { status: 401, challenge: `${challenge}, error="invalid_token"`, why: verified };
    const granted = (verified.payload.scope ?? '').split(' ');
    const needed = [scope, toolScopes[toolIn(body)] ?? scope].find((each) => !granted.includes(each));
    if (needed === undefined) return undefined;
    const more = `Bearer resource_metadata="${metadata}", error="insufficient_scope", scope="${needed}"`;
    return { status: 403, challenge: more, why: `needs ${needed}` };
  }

  function forward(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const { authorization: _, host: __, ...headers } = request.headers;
    const onward = httpRequest(
      { host: target.hostname, port: target.port, path: target.pathname, method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
  }

  return {
    url: resource,
    resource,
    authorizations,
    refusals,
    refuse: (token) => void refused.add(token),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await inner.stop();
    },
  };
}

interface Refusal {
  status: 401 | 403;
  challenge: string;
  why: string;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function toolIn(body: Buffer): string {
  try {
    const { method, params } = JSON.parse(body.toString()) as { method?: string; params?: { name?: string } };
    return method === 'tools/call' ? (params?.name ?? '') : '';
  } catch {
    return '';
  }
}
